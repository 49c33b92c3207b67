// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import io.safebunny.failure.ConfigurationException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Checks the static methods of a class that convert JSON from one version to the next. For use at start-up.
 *
 * @param noun what errors call such a method
 * @param annotation simple name of its annotation
 * @param owner what errors call that which has versions
 * @param versioned simple name of the annotation that has the version
 * @param code of errors
 */
record Conversions(String noun, String annotation, String owner, String versioned, String code) {

    /** A method as it was found. */
    record Found(String where, int from, Method method) {}

    /** A method that was checked. Thread-safe, if the method is. */
    record Conversion(String where, MethodInvoker invoker) {

        /** @throws Exception the method's own, not wrapped */
        @Nullable
        ObjectNode convert(ObjectNode old) throws Exception {
            return (ObjectNode) invoker.invoke(new Object[] {old});
        }
    }

    /**
     * The methods by the version that each reads.
     *
     * @param name of the owner
     * @param first the first version that must be read; {@code null} for the first for which there is a method
     * @throws ConfigurationException if one cannot be called, or there is not exactly one for each version up to the present one
     */
    SortedMap<Integer, Conversion> read(String name, int version, @Nullable Integer first, List<Found> methods) {
        SortedMap<Integer, Found> byVersion = new TreeMap<>();
        for (Found method : methods) {
            requireSignature(method);
            int from = method.from();
            if (from < 1 || from >= version) {
                throw refused(
                        "An %s reads a version that is not an earlier one [method=%s, from=%s]: it must be at least 1, and lower than that of the %s, which is %s."
                                .formatted(noun, method.where(), from, owner, version),
                        "Correct from, or raise @%s(version = %s).".formatted(versioned, from + 1));
            }
            Found other = byVersion.putIfAbsent(from, method);
            if (other != null) {
                throw refused(
                        "Two %ss read one version [from=%s]: %s and %s."
                                .formatted(noun, from, other.where(), method.where()),
                        "Merge them.");
            }
        }
        requireNoHole(name, version, first, byVersion);
        SortedMap<Integer, Conversion> conversions = new TreeMap<>();
        byVersion.forEach((from, method) -> conversions.put(
                from, new Conversion(method.where(), new MethodInvoker(() -> method, method.method()))));
        return conversions;
    }

    private void requireSignature(Found found) {
        Method method = found.method();
        if (!Modifier.isStatic(method.getModifiers())
                || method.getReturnType() != ObjectNode.class
                || method.getParameterCount() != 1
                || method.getParameterTypes()[0] != ObjectNode.class) {
            throw refused(
                    "An %s must be static, take one ObjectNode and return one [method=%s, static=%s, returns=%s]."
                            .formatted(
                                    noun,
                                    found.where(),
                                    Modifier.isStatic(method.getModifiers()),
                                    method.getReturnType().getName()),
                    "Declare it as: %s. ObjectNode is tools.jackson.databind.node.ObjectNode.".formatted(example(1)));
        }
    }

    private void requireNoHole(String name, int version, @Nullable Integer first, SortedMap<Integer, Found> byVersion) {
        int from = Optional.ofNullable(first).orElse(byVersion.isEmpty() ? version : byVersion.firstKey());
        for (; from < version; from++) {
            if (!byVersion.containsKey(from)) {
                throw refused(
                        "An %s is missing [%s=%s, from=%s]: there are some from %s, and the %s's version is %s."
                                .formatted(noun, owner, name, from, byVersion.keySet(), owner, version),
                        "Add a method: %s.".formatted(example(from)));
            }
        }
    }

    private String example(int from) {
        return "@%s(from = %s) static ObjectNode %s(ObjectNode old)"
                .formatted(annotation, from, annotation.toLowerCase(Locale.ROOT));
    }

    private ConfigurationException refused(String problem, String action) {
        return new ConfigurationException(code, problem, action);
    }
}
