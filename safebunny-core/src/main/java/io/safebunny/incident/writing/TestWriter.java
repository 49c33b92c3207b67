// SPDX-License-Identifier: Apache-2.0
package io.safebunny.incident.writing;

import io.safebunny.identity.FieldHash;
import io.safebunny.incident.writing.Reproduction.Delivered;
import io.safebunny.incident.writing.Reproduction.Expectation;
import io.safebunny.incident.writing.Reproduction.Subject;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Writes a reproduction as the source of a test: of a {@code SagaScenario} where the saga can be made without its application, otherwise
 * of a {@code @BunnyTest}. Pure. */
public final class TestWriter {

    private static final String BODY_INDENT = "            ";
    private static final String LINE = "        ";
    private static final int HASH_BYTES = 4;

    private TestWriter() {}

    /** The same for the same incident, and another one for another, so that tests of several can be in one package. */
    public static String className(Reproduction made) {
        FieldHash hash = FieldHash.sha256().add(made.name().subject());
        made.name().identity().forEach(hash::add);
        String digits = HexFormat.of().formatHex(hash.finish(new byte[0]), 0, HASH_BYTES);
        return JavaText.name(made.name().subject()) + "Incident" + digits + "Test";
    }

    public static String source(Reproduction made) {
        boolean isScenario = made.saga() != null && made.saga().construction() != null;
        List<String> source = new ArrayList<>();
        if (!made.home().isEmpty()) {
            source.add("package %s;\n".formatted(JavaText.code(made.home())));
        }
        source.add("import static org.assertj.core.api.Assertions.assertThat;\n");
        source.add(imports(made, isScenario) + "\n");
        source.add(Stream.concat(made.comment().stream(), Stream.of("Run it alone: mvn test -Dtest=" + className(made)))
                .map(paragraph -> JavaText.comment(paragraph, ""))
                .collect(Collectors.joining("\n//\n")));
        if (!isScenario) {
            source.add("@BunnyTest(properties = %s)".formatted(JavaText.literal("safebunny.node=" + made.node())));
        }
        source.add("class %s {\n".formatted(className(made)));
        if (made.saga() != null && made.saga().stored() != null) {
            source.add(constant("STORED", made.saga().stored()));
        }
        if (made.delivered() != null) {
            source.add(constant("BODY", made.delivered().body()));
        }
        source.add("    @Test");
        source.add(isScenario ? scenario(made) : application(made));
        source.add("}\n");
        return String.join("\n", source);
    }

    private static String imports(Reproduction made, boolean isScenario) {
        TreeSet<String> names = new TreeSet<>();
        names.add("org.junit.jupiter.api.Test");
        if (isScenario) {
            names.add("io.safebunny.test.SagaScenario");
        } else {
            names.add("io.safebunny.test.BunnyHarness");
            names.add("io.safebunny.test.BunnyTest");
        }
        if (!isScenario && made.expectation() != Expectation.NOTHING_SET_ASIDE) {
            names.add("io.safebunny.saga.Sagas");
            names.add("org.springframework.beans.factory.annotation.Autowired");
        }
        if (made.expectation() == Expectation.ENDED) {
            names.add("io.safebunny.saga.SagaStatus");
        }
        if (!made.advance().isZero() || (isScenario && made.delivered() == null)) {
            names.add("java.time.Duration");
        }
        return names.stream().map("import %s;"::formatted).collect(Collectors.joining("\n"));
    }

    private static String constant(String name, String text) {
        return "    private static final String %s =\n%s%s;\n"
                .formatted(name, BODY_INDENT, JavaText.block(text, BODY_INDENT));
    }

    private static String method(Reproduction made) {
        return switch (made.expectation()) {
            case NOTHING_SET_ASIDE -> "isHandled";
            case NOT_FAILED -> "doesNotFail";
            case ENDED -> "doesNotWaitForEver";
        };
    }

    private static String scenario(Reproduction made) {
        Subject saga = Objects.requireNonNull(made.saga());
        List<String> calls = new ArrayList<>();
        calls.add("inNode(%s)".formatted(JavaText.literal(made.node())));
        calls.add("withId(%s)".formatted(JavaText.literal(saga.id())));
        if (saga.stored() != null) {
            calls.add("stored(STORED)");
        }
        Delivered delivered = made.delivered();
        if (delivered != null) {
            calls.add("whenDelivered(%s, %s, BODY)".formatted(JavaText.literal(delivered.from()), typed(delivered)));
        }
        if (delivered == null || !made.advance().isZero()) {
            calls.add("advance(%s)".formatted(duration(made)));
        }
        return lines(
                "    void %s() {".formatted(method(made)),
                LINE + "SagaScenario scenario = SagaScenario.of("
                        + JavaText.code(Objects.requireNonNull(saga.construction())) + ")"
                        + calls.stream()
                                .map(call -> "\n" + LINE + LINE + "." + call)
                                .collect(Collectors.joining()) + ";",
                "",
                LINE + "assertThat(scenario).nothingSetAside();" + ofScenario(made.expectation()),
                "    }");
    }

    /** The type, and the version of the body, unless that is the first. */
    private static String typed(Delivered delivered) {
        String type = JavaText.literal(delivered.type());
        return delivered.version() == 1 ? type : type + ", " + delivered.version();
    }

    private static String ofScenario(Expectation expectation) {
        return switch (expectation) {
            case NOTHING_SET_ASIDE -> "";
            case NOT_FAILED -> "\n" + LINE + "assertThat(scenario.view().reason()).as(\"%s\", scenario).isNull();";
            case ENDED ->
                "\n" + LINE
                        + "assertThat(scenario.view().status()).as(\"%s\", scenario).isNotEqualTo(SagaStatus.ACTIVE);";
        };
    }

    private static String duration(Reproduction made) {
        return made.advance().isZero()
                ? "Duration.ZERO"
                : "Duration.parse(%s)".formatted(JavaText.literal(made.advance().toString()));
    }

    private static String application(Reproduction made) {
        List<String> lines = new ArrayList<>();
        boolean asksSagas = made.expectation() != Expectation.NOTHING_SET_ASIDE;
        lines.add("    void %s(BunnyHarness bunny%s) {"
                .formatted(method(made), asksSagas ? ", @Autowired Sagas sagas" : ""));
        Subject saga = made.saga();
        if (saga != null && saga.stored() != null) {
            lines.add(LINE
                    + "bunny.stored(%s, %s, STORED);"
                            .formatted(JavaText.literal(saga.name()), JavaText.literal(saga.id())));
        }
        Delivered delivered = made.delivered();
        if (delivered != null) {
            lines.add(LINE
                    + "bunny.as(%s).deliver(%s, BODY, %s);"
                            .formatted(
                                    JavaText.literal(delivered.from()),
                                    typed(delivered),
                                    JavaText.literal(delivered.correlationId())));
        }
        lines.add(LINE + "bunny.runUntilIdle();");
        if (!made.advance().isZero()) {
            lines.add(LINE + "bunny.advance(%s);".formatted(duration(made)));
        }
        lines.add("");
        lines.add(LINE + "assertThat(bunny.messages()).nothingSetAside();");
        if (asksSagas && saga != null) {
            lines.add(ofSaga(made.expectation(), saga));
        }
        lines.add("    }");
        return String.join("\n", lines);
    }

    private static String ofSaga(Expectation expectation, Subject saga) {
        return LINE
                + "assertThat(sagas.find(%s, %s).orElseThrow().%s;"
                        .formatted(
                                JavaText.literal(saga.name()),
                                JavaText.literal(saga.id()),
                                expectation == Expectation.NOT_FAILED
                                        ? "reason()).as(\"%s\", bunny.messages()).isNull()"
                                        : "status()).as(\"%s\", bunny.messages()).isNotEqualTo(SagaStatus.ACTIVE)");
    }

    private static String lines(String... lines) {
        return Stream.of(lines).collect(Collectors.joining("\n"));
    }
}
