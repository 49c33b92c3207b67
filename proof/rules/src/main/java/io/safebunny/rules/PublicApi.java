// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rules;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The public API of one module as text: users' packages first, then those of the SPIs, then the others. */
final class PublicApi {

    private static final Comparator<String> BY_AUDIENCE =
            Comparator.<String, Audience>comparing(Audience::of).thenComparing(Comparator.naturalOrder());

    private PublicApi() {}

    /** Of the types in this folder of class files, which the loader finds too. */
    static String of(Path classes, ClassLoader loader) throws IOException {
        try (Stream<Path> files = Files.walk(classes)) {
            return of(files.map(file -> classes.relativize(file).toString().replace('\\', '/'))
                    .filter(name -> name.endsWith(".class") && !name.endsWith("-info.class"))
                    .map(name ->
                            name.substring(0, name.length() - ".class".length()).replace('/', '.'))
                    .map(name -> load(name, loader)));
        }
    }

    static String of(Stream<Class<?>> types) {
        Map<String, List<Class<?>>> packages = types.filter(PublicApi::isVisible)
                .sorted(Comparator.comparing(Class::getCanonicalName))
                .collect(Collectors.groupingBy(
                        Class::getPackageName, () -> new TreeMap<>(BY_AUDIENCE), Collectors.toList()));
        List<String> lines = new ArrayList<>();
        packages.forEach((name, members) -> {
            lines.add("# " + name + ": " + Audience.of(name));
            lines.add("");
            members.forEach(type -> {
                lines.addAll(new TypeDescription(type).lines());
                lines.add("");
            });
        });
        return lines.stream().map(line -> line + "\n").collect(Collectors.joining());
    }

    /** To others than its package; a type inside another is no more visible than that. */
    static boolean isVisible(Class<?> type) {
        if (type.isAnonymousClass() || type.isLocalClass() || type.isSynthetic()) {
            return false;
        }
        Class<?> owner = type.getDeclaringClass();
        boolean inherited =
                Modifier.isProtected(type.getModifiers()) && owner != null && !Modifier.isFinal(owner.getModifiers());
        return (Modifier.isPublic(type.getModifiers()) || inherited) && (owner == null || isVisible(owner));
    }

    /** Without running its static code. */
    private static Class<?> load(String name, ClassLoader loader) {
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(
                    name + " is in the folder, but not on the class path. Check the module's dependencies.", e);
        }
    }
}
