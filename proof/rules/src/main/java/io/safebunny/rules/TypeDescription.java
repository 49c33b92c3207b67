// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rules;

import java.lang.annotation.Annotation;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.Target;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What others may use or implement of one type: a line for its head and one for each member, in a fixed order. */
final class TypeDescription {

    private static final Set<String> OF_EVERY_OBJECT = Set.of("equals(Object)", "hashCode()", "toString()");

    private static final Comparator<Method> BY_NAME = Comparator.comparing(Method::getName)
            .thenComparing(Method::getParameterCount)
            .thenComparing(method -> Arrays.toString(method.getParameterTypes()));

    private final Class<?> type;
    private final TypeNames names;

    TypeDescription(Class<?> type) {
        this.type = type;
        this.names = new TypeNames(type.getPackageName());
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(head());
        // in this order in switches, comparisons and ordinals
        constants().forEach(constant -> lines.add("  constant " + constant.getName()));
        fields().forEach(field -> lines.add("  " + field));
        constructors().forEach(constructor -> lines.add("  " + constructor));
        methods().forEach(method -> lines.add("  " + method));
        return lines;
    }

    private String head() {
        return annotations(type)
                + visibility(type.getModifiers())
                + kind()
                + names.of(type)
                + names.variables(type.getTypeParameters())
                + components()
                + extended()
                + names.listed(type.isInterface() ? " extends " : " implements ", "", interfaces())
                + permitted();
    }

    private String kind() {
        if (type.isAnnotation()) {
            return "@interface ";
        }
        String closed = type.isSealed() ? "sealed " : "";
        if (type.isInterface()) {
            return closed + "interface ";
        }
        if (type.isRecord()) {
            return "record ";
        }
        if (type.isEnum()) {
            return "enum ";
        }
        String open = Modifier.isAbstract(type.getModifiers()) ? "abstract " : "";
        return nested() + (Modifier.isFinal(type.getModifiers()) ? "final " : open + closed) + "class ";
    }

    private String nested() {
        return type.isMemberClass() && !Modifier.isStatic(type.getModifiers()) ? "inner " : "";
    }

    private String components() {
        return type.isRecord()
                ? Arrays.stream(type.getRecordComponents())
                        .map(component -> names.of(component.getAnnotatedType()) + " " + component.getName())
                        .collect(Collectors.joining(", ", "(", ")"))
                : "";
    }

    private String extended() {
        boolean implied = type.isInterface()
                || type.isRecord()
                || type.isEnum()
                || type.getSuperclass() == null
                || type.getSuperclass() == Object.class;
        return implied ? "" : names.listed(" extends ", "", type.getAnnotatedSuperclass());
    }

    private AnnotatedType[] interfaces() {
        return type.isAnnotation() ? new AnnotatedType[0] : type.getAnnotatedInterfaces();
    }

    private String permitted() {
        return type.isSealed()
                ? Arrays.stream(type.getPermittedSubclasses())
                        .map(names::of)
                        .sorted()
                        .collect(Collectors.joining(", ", " permits ", ""))
                : "";
    }

    private Stream<Field> constants() {
        return Arrays.stream(type.getDeclaredFields()).filter(Field::isEnumConstant);
    }

    private Set<String> fields() {
        return members(Class::getDeclaredFields)
                .filter(field -> !field.isEnumConstant())
                .map(field -> annotations(field)
                        + modifiers(field)
                        + names.of(field.getAnnotatedType())
                        + " "
                        + field.getName())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private Set<String> constructors() {
        return Arrays.stream(type.getDeclaredConstructors())
                .filter(this::isVisible)
                .filter(constructor -> !isCanonical(constructor))
                .map(constructor -> annotations(constructor)
                        + modifiers(constructor)
                        + variables(constructor)
                        + "new"
                        + parameters(constructor)
                        + thrown(constructor))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private boolean isCanonical(Constructor<?> constructor) {
        return type.isRecord()
                && Arrays.equals(
                        constructor.getParameterTypes(),
                        Arrays.stream(type.getRecordComponents())
                                .map(RecordComponent::getType)
                                .toArray());
    }

    /** By name, whatever comes before it. */
    private List<String> methods() {
        return members(Class::getDeclaredMethods)
                .filter(Predicate.not(this::isImplied))
                .sorted(BY_NAME)
                .map(method -> annotations(method)
                        + modifiers(method)
                        + variables(method)
                        + names.of(method.getAnnotatedReturnType())
                        + " "
                        + method.getName()
                        + parameters(method)
                        + thrown(method)
                        + defaultValue(method))
                .distinct()
                .toList();
    }

    private boolean isImplied(Method method) {
        String signature = method.getName() + parameters(method);
        boolean ofEveryEnum = type.isEnum() && (signature.equals("values()") || signature.equals("valueOf(String)"));
        boolean ofItsComponents = type.isRecord()
                && method.getParameterCount() == 0
                && Arrays.stream(type.getRecordComponents())
                        .anyMatch(component -> component.getAccessor().equals(method));
        return ofEveryEnum || ofItsComponents || OF_EVERY_OBJECT.contains(signature);
    }

    /** Those of the type, and what it inherits from types that others do not see: for them it has these members itself. */
    private <M extends Member> Stream<M> members(Function<Class<?>, M[]> declared) {
        return withHiddenSupertypes(type)
                .flatMap(owner -> Arrays.stream(declared.apply(owner)))
                .filter(this::isVisible);
    }

    private static Stream<Class<?>> withHiddenSupertypes(Class<?> type) {
        Stream<Class<?>> above =
                Stream.concat(Stream.ofNullable(type.getSuperclass()), Arrays.stream(type.getInterfaces()));
        return Stream.concat(
                Stream.of(type),
                above.filter(owner ->
                                !PublicApi.isVisible(owner) && owner.getName().startsWith("io.safebunny."))
                        .flatMap(TypeDescription::withHiddenSupertypes));
    }

    private boolean isVisible(Member member) {
        boolean inherited = Modifier.isProtected(member.getModifiers()) && isExtensible();
        return (Modifier.isPublic(member.getModifiers()) || inherited) && !member.isSynthetic();
    }

    /** Outside of this module: not with constructors that only the package sees. */
    private boolean isExtensible() {
        return !Modifier.isFinal(type.getModifiers())
                && !type.isSealed()
                && Arrays.stream(type.getDeclaredConstructors())
                        .anyMatch(constructor -> Modifier.isPublic(constructor.getModifiers())
                                || Modifier.isProtected(constructor.getModifiers()));
    }

    private String modifiers(Member member) {
        int modifiers = member.getModifiers();
        String visibility = Modifier.isProtected(modifiers) ? "protected " : "";
        if (type.isInterface()) {
            boolean implemented = member instanceof Method method && method.isDefault();
            return visibility + (Modifier.isStatic(modifiers) ? "static " : implemented ? "default " : "");
        }
        boolean closed = Modifier.isFinal(modifiers) && (member instanceof Field || isExtensible());
        return visibility
                + (Modifier.isStatic(modifiers) ? "static " : "")
                + (closed ? "final " : "")
                + (Modifier.isAbstract(modifiers) ? "abstract " : "");
    }

    private static String visibility(int modifiers) {
        return Modifier.isProtected(modifiers) ? "protected " : "public ";
    }

    private String variables(Executable executable) {
        String variables = names.variables(executable.getTypeParameters());
        return variables.isEmpty() ? "" : variables + " ";
    }

    private String parameters(Executable executable) {
        AnnotatedType[] types = executable.getAnnotatedParameterTypes();
        return IntStream.range(0, types.length)
                .mapToObj(i -> {
                    String name = names.of(types[i]);
                    boolean rest = executable.isVarArgs() && i == types.length - 1;
                    return rest ? name.substring(0, name.length() - 2) + "..." : name;
                })
                .collect(Collectors.joining(", ", "(", ")"));
    }

    private String thrown(Executable executable) {
        return names.listed(" throws ", "", executable.getAnnotatedExceptionTypes());
    }

    private String defaultValue(Method method) {
        Object value = method.getDefaultValue();
        return value == null ? "" : " default " + text(value);
    }

    /** Those that say what others may do with it. */
    private String annotations(AnnotatedElement element) {
        return Arrays.stream(element.getDeclaredAnnotations())
                .map(this::text)
                .filter(Predicate.not(String::isEmpty))
                .sorted()
                .map(text -> text + " ")
                .collect(Collectors.joining());
    }

    private String text(Annotation annotation) {
        if (annotation instanceof Target target) {
            return "@Target(" + text(target.value()) + ")";
        }
        if (annotation instanceof Retention retention) {
            return "@Retention(" + text(retention.value()) + ")";
        }
        if (annotation instanceof Repeatable repeatable) {
            return "@Repeatable(" + text(repeatable.value()) + ")";
        }
        boolean plain = annotation instanceof Deprecated
                || annotation instanceof FunctionalInterface
                || annotation instanceof Inherited;
        return plain ? "@" + annotation.annotationType().getSimpleName() : "";
    }

    private String text(Object value) {
        if (value.getClass().isArray()) {
            return IntStream.range(0, Array.getLength(value))
                    .mapToObj(i -> text(Array.get(value, i)))
                    .collect(Collectors.joining(", ", "{", "}"));
        }
        if (value instanceof Class<?> named) {
            return names.of(named) + ".class";
        }
        if (value instanceof Annotation annotation) {
            return "@" + names.of(annotation.annotationType());
        }
        return value instanceof String text ? "\"" + text + "\"" : value.toString();
    }
}
