// Named values: numbers that a text of the user's names, and that come as arguments with each call.
//
// They are the last arguments of a kernel, which collects them in one structure. A function that evaluates a text of
// the user's, or calls one that does, takes this structure as its last parameter. A text's own function is given its
// members (lib/program/expressions.cpp). In a call without values, all words of this part are empty.
#ifdef NAMED_VALUES

// NAMED_VALUES(V) is V(float, clwave_op_alpha) V(int, clwave_map_k) and so on.
#define VALUE_AS_ARGUMENT(type, name) , type name
#define VALUE_AS_MEMBER(type, name) type name;
#define VALUE_AS_INITIALIZER(type, name) name,

typedef struct {
  NAMED_VALUES(VALUE_AS_MEMBER)
} named_values;

// Of a kernel: its last arguments, and the first line of its body.
#define VALUES_ARGUMENTS NAMED_VALUES(VALUE_AS_ARGUMENT)
#define COLLECT_VALUES const named_values given_values = {NAMED_VALUES(VALUE_AS_INITIALIZER)};
// Of a function: its last parameter, and the last argument that it is given.
#define VALUES_PARAMETER , const named_values given_values
#define WITH_VALUES , given_values
// The same of a function that takes nothing else.
#define VALUES_ALONE const named_values given_values
#define WITH_VALUES_ALONE given_values

#else
#define VALUES_ARGUMENTS
#define COLLECT_VALUES
#define VALUES_PARAMETER
#define WITH_VALUES
#define VALUES_ALONE void
#define WITH_VALUES_ALONE
#endif

// The same of a function that needs them for elements that lie nowhere alone (lazy.cl), and such an element as it would lie in
// memory.
#ifdef LAZY_TEXT
#define LAZY_PARAMETER VALUES_PARAMETER
#define WITH_LAZY WITH_VALUES
#define STORED_IN(x, j) made_element((x) + (j)WITH_VALUES)
#else
#define LAZY_PARAMETER
#define WITH_LAZY
#define STORED_IN(x, j) x[j]
#endif
