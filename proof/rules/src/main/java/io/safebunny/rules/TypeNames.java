// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rules;

import java.lang.reflect.AnnotatedArrayType;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.AnnotatedWildcardType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Names of types as one package writes them: without the package for its own and those of {@code java.lang}. Not those of
 * {@link AnnotatedType#toString()}, which differ from JDK to JDK.
 */
final class TypeNames {

    private final String packageName;

    TypeNames(String packageName) {
        this.packageName = packageName;
    }

    String of(Class<?> type) {
        String name = type.getCanonicalName();
        String owner = type.getPackageName();
        boolean needsNoPackage = owner.equals(packageName) || owner.equals("java.lang");
        return needsNoPackage && !type.isPrimitive() && !type.isArray() ? name.substring(owner.length() + 1) : name;
    }

    String of(AnnotatedType type) {
        if (type instanceof AnnotatedArrayType array) {
            return of(array.getAnnotatedGenericComponentType()) + (isNullable(type) ? " @Nullable []" : "[]");
        }
        return (isNullable(type) ? "@Nullable " : "") + withoutNullness(type);
    }

    private String withoutNullness(AnnotatedType type) {
        if (type instanceof AnnotatedParameterizedType parameterized
                && parameterized.getType() instanceof ParameterizedType raw) {
            return of((Class<?>) raw.getRawType()) + listed("<", ">", parameterized.getAnnotatedActualTypeArguments());
        }
        if (type instanceof AnnotatedWildcardType wildcard) {
            AnnotatedType[] lower = wildcard.getAnnotatedLowerBounds();
            return lower.length > 0 ? "? super " + of(lower[0]) : "?" + bounds(wildcard.getAnnotatedUpperBounds());
        }
        return type.getType() instanceof Class<?> plain
                ? of(plain)
                : type.getType().getTypeName();
    }

    /** {@code <A, B extends C>}, empty if there are none. */
    String variables(TypeVariable<?>[] variables) {
        return variables.length == 0
                ? ""
                : Arrays.stream(variables)
                        .map(variable -> variable.getName() + bounds(variable.getAnnotatedBounds()))
                        .collect(Collectors.joining(", ", "<", ">"));
    }

    /** Of types, between the two; empty if there are none. */
    String listed(String before, String after, AnnotatedType... types) {
        return types.length == 0
                ? ""
                : Arrays.stream(types).map(this::of).collect(Collectors.joining(", ", before, after));
    }

    private String bounds(AnnotatedType... bounds) {
        boolean none =
                bounds.length == 0 || (bounds.length == 1 && of(bounds[0]).equals("Object"));
        return none ? "" : " extends " + Arrays.stream(bounds).map(this::of).collect(Collectors.joining(" & "));
    }

    /** By name: modules that have no annotations for nullness need none for this. */
    private static boolean isNullable(@Nullable AnnotatedElement type) {
        return type != null
                && Arrays.stream(type.getAnnotations())
                        .anyMatch(annotation ->
                                annotation.annotationType().getSimpleName().equals("Nullable"));
    }
}
