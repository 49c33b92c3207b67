// SPDX-License-Identifier: Apache-2.0
package io.safebunny.imports;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.Location;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application with the starter and a store compiles against {@code safebunny-api}, and against nothing else of SafeBunny. */
class ImportsTest {

    /** The modules that an application has at run time. */
    private static final Pattern OURS =
            modules("api|core|rabbit|autoconfigure|spring-boot-starter|jdbc|cosmos|crypto|vault|cbor|protobuf");

    private static final Pattern API = modules("api");

    private static Pattern modules(String names) {
        return Pattern.compile("safebunny-(%s)([/\\\\]target[/\\\\]classes|-[0-9][^/\\\\]*\\.jar)$".formatted(names));
    }

    @TempDir
    Path classes;

    @Test
    void everyTypeOfTheApiCanBeImported() throws IOException {
        Set<String> api = publicTypes(API);

        assertThat(api).contains("io.safebunny.Bunny");
        assertThat(importable(api)).isEqualTo(api);
    }

    @Test
    void noTypeOfAnotherModuleCanBeImported() throws IOException {
        Set<String> others = publicTypes(OURS);
        others.removeAll(publicTypes(API));

        assertThat(others)
                .contains(
                        "io.safebunny.dedup.Deduplication",
                        "io.safebunny.rabbit.RabbitTransport",
                        "io.safebunny.jdbc.store.JdbcMessageStore",
                        "io.safebunny.cosmos.CosmosMessageStore");
        assertThat(importable(others)).isEmpty();
    }

    /** Of the modules at run time whose name fits. */
    private static Set<String> publicTypes(Pattern module) {
        List<Location> modules = entries(System.getProperty("java.class.path"))
                .filter(entry -> module.matcher(entry).find())
                .map(ImportsTest::location)
                .toList();
        return new ClassFileImporter()
                .importLocations(modules).stream()
                        .filter(ImportsTest::isPublic)
                        .map(type -> type.getFullName().replace('$', '.'))
                        .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Of a jar once a module is packaged, of a folder before. */
    private static Location location(String entry) {
        try {
            return entry.endsWith(".jar") ? Location.of(new JarFile(entry)) : Location.of(Path.of(entry));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isPublic(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC)
                && !type.isAnonymousClass()
                && !type.isLocalClass()
                && !type.getSimpleName().equals("package-info")
                && type.getEnclosingClass().map(ImportsTest::isPublic).orElse(true);
    }

    private static Stream<String> entries(String classPath) {
        return Pattern.compile(File.pathSeparator).splitAsStream(classPath.trim());
    }

    /** Those of these types that a class of an application can name: one line for each, and the compiler tells the lines it refuses. */
    private Set<String> importable(Set<String> types) throws IOException {
        List<String> all = List.copyOf(types);
        String source = IntStream.range(0, all.size())
                .mapToObj(i -> "    Class<?> type%s = %s.class;\n".formatted(i, all.get(i)))
                .collect(Collectors.joining("", "class Application {\n", "}\n"));
        DiagnosticCollector<JavaFileObject> told = new DiagnosticCollector<>();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        compiler.getTask(
                        null,
                        null,
                        told,
                        List.of(
                                "-proc:none",
                                "-Xmaxerrs",
                                "100000",
                                "-d",
                                classes.toString(),
                                "-classpath",
                                Files.readString(Path.of("target/compile.classpath"))
                                        .trim()),
                        null,
                        List.of(new Source(source)))
                .call();
        Set<Long> refused = told.getDiagnostics().stream()
                .filter(each -> each.getKind() == Diagnostic.Kind.ERROR)
                .map(Diagnostic::getLineNumber)
                .collect(Collectors.toSet());
        return IntStream.range(0, all.size())
                .filter(i -> !refused.contains(i + 2L)) // the first line is that of the class
                .mapToObj(all::get)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static final class Source extends SimpleJavaFileObject {

        private final String text;

        Source(String text) {
            super(URI.create("string:///Application.java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
