// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/** Each bug of {@code bin/simulate --plant} is found, and without one nothing is. */
@Tag("once")
class PlantsTest {

    private static final int SCHEDULES = 5_000;
    private static final int MOST_EVENTS = 12;
    /** Each story once without a fault, and some of its single faults. */
    private static final int CLEAN_SCHEDULES = 1_000;

    private static final Logger LOG = (Logger) LoggerFactory.getLogger("io.safebunny");

    @BeforeAll
    static void beSilent() {
        System.setProperty("crash.level", "off"); // for patched copies, whose logging is their own
        LOG.setLevel(Level.OFF);
    }

    @AfterAll
    static void speak() {
        System.clearProperty("crash.level");
        LOG.setLevel(null);
    }

    static List<String> plants() {
        return Plant.all().stream().map(Plant::name).toList();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("plants")
    void isFoundAndShrunk(String plant) throws Exception {
        JsonNode result = run(plant, SCHEDULES);

        assertThat(result.get("planted").asString()).isEqualTo(plant);
        assertThat(result.get("found").booleanValue()).isTrue();
        assertThat(result.get("violations").intValue()).isEqualTo(1);
        assertThat(result.get("schedulesToFind").intValue()).isBetween(1, SCHEDULES);
        assertThat(result.get("shortestEvents").intValue()).isBetween(0, MOST_EVENTS);
    }

    @Test
    void nothingIsFoundWithoutABug() throws Exception {
        JsonNode result = run("", CLEAN_SCHEDULES);

        assertThat(result.get("violations").intValue()).isZero();
        assertThat(result.get("schedules").intValue()).isEqualTo(CLEAN_SCHEDULES);
        assertThat(result.get("planted").isNull()).isTrue();
        assertThat(result.get("found").booleanValue()).isFalse();
        assertThat(result.get("schedulesToFind").isNull()).isTrue();
    }

    private static JsonNode run(String plant, int schedules) throws Exception {
        Path project = Objects.requireNonNull(Path.of("").toAbsolutePath().getParent());
        return SimulateMain.run(plant, "", schedules, 1, project, false);
    }
}
