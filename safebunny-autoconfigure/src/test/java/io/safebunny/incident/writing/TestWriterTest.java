// SPDX-License-Identifier: Apache-2.0
package io.safebunny.incident.writing;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.incident.writing.Reproduction.Delivered;
import io.safebunny.incident.writing.Reproduction.Expectation;
import io.safebunny.incident.writing.Reproduction.Name;
import io.safebunny.incident.writing.Reproduction.Subject;
import io.safebunny.incidents.GeneratedTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Every form of a test compiles, whatever is in it. */
class TestWriterTest {

    private static final String EVIL = "\"\"\" + evil() + \"; */ \\u000a } static { \\u0022\\ \r\n } // \u2028";

    private static Reproduction with(
            String home,
            @Nullable String stored,
            @Nullable String construction,
            @Nullable Delivered delivered,
            Duration advance,
            Expectation expectation) {
        return new Reproduction(
                new Name(EVIL, List.of(EVIL)),
                home,
                EVIL,
                new Subject(EVIL, EVIL, stored, construction),
                delivered,
                advance,
                expectation,
                List.of(EVIL, "", EVIL));
    }

    private static List<Reproduction> all() {
        List<Reproduction> all = new ArrayList<>();
        for (Expectation expectation : Expectation.values()) {
            for (String construction : new String[] {"new Object()", "bunny -> bunny", null}) {
                for (Delivered delivered : new Delivered[] {new Delivered(EVIL, EVIL, 3, EVIL, EVIL), null}) {
                    all.add(with("", null, construction, delivered, Duration.ZERO, expectation));
                    all.add(with("com.example", EVIL, construction, delivered, Duration.ofDays(3), expectation));
                }
            }
        }
        all.add(with("com.example.m\u00fcller", null, "new Object()", null, Duration.ZERO, Expectation.ENDED));
        all.add(new Reproduction(
                new Name("", List.of()),
                "",
                EVIL,
                null,
                new Delivered(EVIL, EVIL, 1, "x".repeat(200_000), EVIL),
                Duration.ZERO,
                Expectation.NOTHING_SET_ASIDE,
                List.of(EVIL)));
        return all;
    }

    @Test
    void everyFormCompilesAndHasOneClass() {
        assertThat(all()).hasSize(38).allSatisfy(made -> {
            String source = TestWriter.source(made);
            assertThat(source.chars()).as(source).allMatch(c -> c == '\n' || (c >= ' ' && c <= '~'));
            assertThat(GeneratedTest.compile(source)).isNotEmpty();
            assertThat(source.lines().filter(line -> line.endsWith(" ")))
                    .as(source)
                    .isEmpty();
        });
    }

    private static Reproduction named(String subject, String... identity) {
        return new Reproduction(
                new Name(subject, List.of(identity)),
                "",
                "shop",
                null,
                new Delivered("shop", "Charge", 1, "{}", "order-1"),
                Duration.ZERO,
                Expectation.NOTHING_SET_ASIDE,
                List.of("class Other {", "Its class is: class Other"));
    }

    /** So that tests of several incidents can be in one package. */
    @Test
    void eachIncidentHasItsOwnClass() {
        List<Reproduction> incidents = List.of(
                named("Order", "STUCK", "order-1", "m-1"),
                named("Order", "STUCK", "order-1", "m-2"),
                named("Order", "STUCK", "order-2", "m-1"),
                named("Order", "FAILED", "order-1", "m-1"),
                named("Order", "STUCK", "order-1m-1", ""),
                named("order", "STUCK", "order-1", "m-1"));

        assertThat(incidents.stream().map(TestWriter::className))
                .doesNotHaveDuplicates()
                .allMatch(name -> name.matches("OrderIncident[0-9a-f]{8}Test"));
        assertThat(incidents).allSatisfy(made -> assertThat(TestWriter.source(made))
                .contains("\nclass " + TestWriter.className(made) + " {\n")
                .contains("// Run it alone: mvn test -Dtest=" + TestWriter.className(made) + "\n"));
        assertThat(TestWriter.className(named("Order", "STUCK", "order-1", "m-1")))
                .as("the same incident has the same name tomorrow")
                .isEqualTo("OrderIncidentd89b38c6Test");
    }

    /** A saga that is stuck has not failed, and does not wait. */
    @Test
    void everyFormDemandsThatNothingIsSetAside() {
        assertThat(all()).allSatisfy(made -> assertThat(TestWriter.source(made)).contains(").nothingSetAside();"));
    }

    @Test
    void importsOnlyWhatItUses() {
        assertThat(all()).allSatisfy(made -> {
            String source = TestWriter.source(made);
            source.lines()
                    .filter(line -> line.startsWith("import ") && !line.contains("static"))
                    .map(line -> line.replaceAll(".*\\.(\\w+);", "$1"))
                    .forEach(name -> assertThat(source.split("\\b" + name + "\\b", -1))
                            .as(source)
                            .hasSizeGreaterThan(2));
        });
    }
}
