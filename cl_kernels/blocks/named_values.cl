// Named values: numbers that a text of the user's names, and that come as arguments with each call; and what elements that lie
// nowhere are made of (lazy.cl).
//
// They are the last arguments of a kernel, which collects them in one structure. A function that evaluates a text of
// the user's, or calls one that does, takes this structure as its last parameter, `given`. A text's own function is given its
// members (lib/program/expressions.cpp). In a call without values the structure has none, and compilers pass nothing.

// NAMED_VALUES(V) is V(float, clwave_op_alpha) V(int, clwave_map_k) and so on.
#define VALUE_AS_ARGUMENT(type, name) , type name
#define VALUE_AS_MEMBER(type, name) type name;
#define VALUE_AS_INITIALIZER(type, name) name,

typedef struct {
  NAMED_VALUES(VALUE_AS_MEMBER)
} named_values;

// Of a kernel: its last arguments, and the first line of its body.
#define VALUES_ARGUMENTS NAMED_VALUES(VALUE_AS_ARGUMENT)
#define COLLECT_VALUES const named_values given = {NAMED_VALUES(VALUE_AS_INITIALIZER)};

// The j-th element at `x`, as it lies in memory.
#ifdef LAZY_TEXT
#define STORED_IN(x, j) made_element((x) + (j), given)
#else
#define STORED_IN(x, j) x[j]
#endif
