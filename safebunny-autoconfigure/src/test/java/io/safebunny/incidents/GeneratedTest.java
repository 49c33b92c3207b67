// SPDX-License-Identifier: Apache-2.0
package io.safebunny.incidents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.lang.invoke.MethodHandles;
import java.net.URI;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** A generated test: compiled as a user would, and run by JUnit. It becomes part of this package, once. */
public final class GeneratedTest {

    private static final Pattern NAME = Pattern.compile("(?m)^class (\\w+) \\{$");

    private final Class<?> type;

    private GeneratedTest(Class<?> type) {
        this.type = type;
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String name, String text) {
            super(URI.create("string:///" + name + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    private static final class Compiled extends SimpleJavaFileObject {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        Compiled() {
            super(URI.create("bytes:///Compiled.class"), Kind.CLASS);
        }

        @Override
        public OutputStream openOutputStream() {
            return bytes;
        }
    }

    static String name(String source) {
        Matcher name = NAME.matcher(source);
        assertThat(name.find()).as(source).isTrue();
        return name.group(1);
    }

    /** The bytes of its only class. */
    public static byte[] compile(String source) {
        Compiled compiled = new Compiled();
        StringWriter problems = new StringWriter();
        StandardJavaFileManager files = ToolProvider.getSystemJavaCompiler().getStandardFileManager(null, null, null);
        JavaFileManager inMemory = new ForwardingJavaFileManager<JavaFileManager>(files) {
            @Override
            public JavaFileObject getJavaFileForOutput(
                    Location location, String className, JavaFileObject.Kind kind, FileObject sibling)
                    throws IOException {
                assertThat(compiled.bytes.size()).as("more than one class").isZero();
                return compiled;
            }
        };
        boolean isCompiled = ToolProvider.getSystemJavaCompiler()
                .getTask(
                        problems,
                        inMemory,
                        null,
                        List.of("-parameters", "-proc:none", "-classpath", System.getProperty("java.class.path")),
                        null,
                        List.of(new Source(name(source), source)))
                .call();
        assertThat(isCompiled).as("%s%n%s", problems, source).isTrue();
        return compiled.bytes.toByteArray();
    }

    static GeneratedTest of(String source) {
        try {
            return new GeneratedTest(MethodHandles.privateLookupIn(Workshop.class, MethodHandles.lookup())
                    .defineClass(compile(source)));
        } catch (IllegalAccessException e) {
            throw new LinkageError(source, e);
        }
    }

    /** How its tests have failed; there must be one. */
    List<String> failures() {
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectClass(type))
                                .build(),
                        summary);
        assertThat(summary.getSummary().getTestsStartedCount()
                        + summary.getSummary().getContainersFailedCount())
                .isEqualTo(1);
        return summary.getSummary().getFailures().stream()
                .map(failure -> String.valueOf(failure.getException()))
                .toList();
    }
}
