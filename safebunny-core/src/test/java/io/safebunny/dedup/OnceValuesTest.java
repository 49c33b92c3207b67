// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import static io.safebunny.dedup.DedupBench.MESSAGE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.safebunny.PoisonMessageException;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Results of steps: the first attempt and every later one get the same. */
class OnceValuesTest {

    record Receipt(
            String id,
            @JsonInclude(JsonInclude.Include.NON_DEFAULT) int fee) {}

    record Corrected(String id, @Nullable Integer fee) {}

    record Loose(Object amount, ZonedDateTime at) {}

    private final DedupBench bench = new DedupBench();
    private final AtomicInteger charges = new AtomicInteger();

    private <T> List<T> twice(Class<T> type, T result) throws Exception {
        List<T> seen = new ArrayList<>();
        assertThatThrownBy(() -> bench.deliver(execution -> {
                    seen.add(execution.once("charge", type, () -> result));
                    throw new IOException("after the charge");
                }))
                .isInstanceOf(IOException.class);
        bench.deliver(
                bench.instance,
                MESSAGE.nextAttempt(),
                execution -> seen.add(execution.once("charge", type, () -> result)));
        return seen;
    }

    @Test
    void areTheSameForEachAttempt() throws Exception {
        ZonedDateTime berlin = ZonedDateTime.of(2026, 5, 1, 12, 0, 0, 0, ZoneId.of("Europe/Berlin"));
        List<Loose> seen = twice(Loose.class, new Loose(0.5, berlin));

        assertThat(seen.get(0)).isEqualTo(seen.get(1));
        assertThat(seen.get(0).at()).isEqualTo(berlin);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1000000000000000.01", "0.50", "10000000.00", "1E+7"})
    void keepTheirDigitsWithoutADeclaredType(String digits) throws Exception {
        Map<?, ?> result = Map.of("amount", new BigDecimal(digits));

        List<Object> seen = new ArrayList<>(twice(Map.class, result));
        assertThat(seen).containsExactly(result, result);
    }

    /** It is stored all the same: with a type that reads it, a replay does not run the step again. */
    @Test
    void thatTheirTypeDoesNotReadEndTheHandlingAtOnce() throws Exception {
        List<Receipt> seen = new ArrayList<>();
        assertThatExceptionOfType(PoisonMessageException.class)
                .isThrownBy(() -> bench.deliver(execution -> seen.add(execution.once("charge", Receipt.class, () -> {
                    charges.incrementAndGet();
                    return new Receipt("r-1", 0);
                }))))
                .withMessageContaining("Receipt")
                .withMessageContaining("missing property 'fee'")
                .withMessageContaining("the step is not run again");

        assertThat(seen).isEmpty();
        bench.replay(execution -> assertThat(execution.once("charge", Corrected.class, () -> {
                    charges.incrementAndGet();
                    return new Corrected("r-2", 1);
                }))
                .isEqualTo(new Corrected("r-1", null)));
        assertThat(charges).hasValue(1);
    }

    /** As of a client's library: it has run, and what is lost of it was lost before, too. */
    static class Charge {
        private final UUID trace = UUID.randomUUID();
        public String id = "c-1";

        public UUID getTrace() {
            return trace;
        }
    }

    @Test
    void areNotRefusedForWhatTheirTypeDoesNotReadAfterTheStepHasRun() throws Exception {
        assertThat(twice(Charge.class, new Charge())).hasSize(2).allSatisfy(charge -> assertThat(charge.id)
                .isEqualTo("c-1"));
    }
}
