// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.middleware.Middleware;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PipelineTest {

    private final List<String> seen = new ArrayList<>();

    private Middleware<String> step(String name) {
        return (context, next) -> {
            seen.add(name + ">" + context);
            next.run();
            seen.add("<" + name);
        };
    }

    @Test
    void runsStepsInOrderEachAroundTheNext() throws Exception {
        new Pipeline<>(List.of(step("a"), step("b"), step("c"))).run("m");

        assertThat(seen).containsExactly("a>m", "b>m", "c>m", "<c", "<b", "<a");
    }

    @Test
    void doesNothingWithoutSteps() throws Exception {
        new Pipeline<>(List.<Middleware<String>>of()).run("m");

        assertThat(seen).isEmpty();
    }

    @Test
    void endsWhereAStepDoesNotCallNext() throws Exception {
        new Pipeline<String>(List.of(step("a"), (context, next) -> seen.add("stop"), step("c"))).run("m");

        assertThat(seen).containsExactly("a>m", "stop", "<a");
    }

    @Test
    void runsTheRestAgainWhenAStepCallsNextAgain() throws Exception {
        Middleware<String> twice = (context, next) -> {
            next.run();
            next.run();
        };
        new Pipeline<>(List.of(step("a"), twice, step("c"), step("d"))).run("m");

        assertThat(seen).containsExactly("a>m", "c>m", "d>m", "<d", "<c", "c>m", "d>m", "<d", "<c", "<a");
    }

    @Test
    void letsExceptionsPassAsTheyWereThrown() {
        IOException checked = new IOException("checked");
        Pipeline<String> pipeline = new Pipeline<>(List.of(step("a"), (context, next) -> {
            throw checked;
        }));

        assertThatThrownBy(() -> pipeline.run("m")).isSameAs(checked);
        assertThat(seen).containsExactly("a>m");
    }

    @Test
    void letsAStepReplaceAFailure() {
        Middleware<String> translating = (context, next) -> {
            try {
                next.run();
            } catch (IOException e) {
                throw new IllegalStateException("translated", e);
            }
        };
        Pipeline<String> pipeline = new Pipeline<>(List.of(translating, (context, next) -> {
            throw new IOException("checked");
        }));

        assertThatThrownBy(() -> pipeline.run("m")).hasMessage("translated").hasRootCauseMessage("checked");
    }

    @Test
    void canBeRunAgain() throws Exception {
        Pipeline<String> pipeline = new Pipeline<>(List.of(step("a")));
        pipeline.run("1");
        pipeline.run("2");

        assertThat(seen).containsExactly("a>1", "<a", "a>2", "<a");
    }

    @Test
    void doesNotSeeLaterChangesOfTheList() throws Exception {
        List<Middleware<String>> steps = new ArrayList<>(List.of(step("a")));
        Pipeline<String> pipeline = new Pipeline<>(steps);
        steps.add(step("b"));
        pipeline.run("m");

        assertThat(seen).containsExactly("a>m", "<a");
    }
}
