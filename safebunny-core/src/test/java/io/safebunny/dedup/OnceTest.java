// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import static io.safebunny.dedup.DedupBench.LEASE;
import static io.safebunny.dedup.DedupBench.MESSAGE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.PoisonMessageException;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.handling.Handling;
import java.io.IOException;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class OnceTest {

    private final DedupBench bench = new DedupBench();
    private final AtomicInteger charges = new AtomicInteger();

    private PaymentCaptured charge() {
        return new PaymentCaptured("c-" + charges.incrementAndGet());
    }

    @Test
    void givesALaterAttemptTheStoredResult() throws Exception {
        assertThatThrownBy(() -> bench.deliver(execution -> {
                    assertThat(execution.once("charge", PaymentCaptured.class, this::charge))
                            .isEqualTo(new PaymentCaptured("c-1"));
                    throw new IOException("after the charge");
                }))
                .isInstanceOf(IOException.class);

        bench.deliver(bench.instance, MESSAGE.nextAttempt(), execution -> {
            assertThat(execution.once("charge", PaymentCaptured.class, this::charge))
                    .isEqualTo(new PaymentCaptured("c-1"));
            assertThat(execution.once("another", Integer.class, () -> 5)).isEqualTo(5);
        });

        assertThat(charges).hasValue(1);
    }

    @Test
    void givesTheNextProcessTheStoredResultAfterACrash() throws Exception {
        bench.crash(bench.instance, execution -> execution.once("charge", PaymentCaptured.class, this::charge));
        Deduplication other = bench.instance();
        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> bench.deliver(other, MESSAGE, execution -> {}));
        bench.timeline.advance(LEASE);

        bench.deliver(
                other, MESSAGE, execution -> assertThat(execution.once("charge", PaymentCaptured.class, this::charge))
                        .isEqualTo(new PaymentCaptured("c-1")));

        assertThat(charges).hasValue(1);
    }

    @Test
    void repeatsAStepThatFailed() throws Exception {
        assertThatThrownBy(() -> bench.deliver(execution -> execution.once("charge", Integer.class, () -> {
                    throw new IOException("no answer");
                })))
                .isInstanceOf(IOException.class);

        bench.deliver(execution ->
                assertThat(execution.once("charge", Integer.class, () -> 7)).isEqualTo(7));
    }

    private record Loaded(Class<?> type) {}

    @Test
    void isNotRunWhenItsResultCouldNotBeReadAgain() {
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> bench.deliver(execution -> execution.once("charge", Loaded.class, () -> {
                    charges.incrementAndGet();
                    return new Loaded(String.class);
                })))
                .withMessageContaining("Loaded")
                .withMessageContaining("java.lang.Class");

        assertThat(charges).hasValue(0);
    }

    @Test
    void decidesTheEndOfTheHandlingWhateverTheHandlerMakesOfIt() {
        assertThatExceptionOfType(PoisonMessageException.class)
                .isThrownBy(() -> bench.deliver(execution -> {
                    try {
                        Object unused = execution.once("charge", Unwritable.class, Unwritable::new);
                    } catch (RuntimeException e) {
                        throw new IOException("wrapped", e);
                    }
                }));
        assertThatExceptionOfType(PoisonMessageException.class).isThrownBy(() -> {
            Handling execution = new Handling(new CurrentHandling(), MESSAGE);
            try {
                Object unused = execution.once("charge", Unwritable.class, Unwritable::new);
            } catch (RuntimeException e) {
                execution.attempt(() -> {});
            }
        });
    }

    /** Else the handler would go on, and fail when it is run again: then the step is not to be repeated. */
    @Test
    void refusesAResultThatCouldNotBeReadAgain() {
        for (Object unreadable :
                List.of(Map.of("n".repeat(1_001), 1), Map.of(1, "a", "1", "b"), BigInteger.TEN.pow(1_001))) {
            Handling execution = new Handling(new CurrentHandling(), MESSAGE);
            assertThatExceptionOfType(PoisonMessageException.class)
                    .isThrownBy(() -> execution.once("charge", Object.class, () -> unreadable))
                    .withMessageContaining("cannot be stored");
        }
    }

    @Test
    void spendsNoAttemptWhenItsResultCannotBeStored() throws Exception {
        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> bench.deliver(execution -> {
                    bench.store.down(true);
                    Object unused = execution.once("charge", PaymentCaptured.class, this::charge);
                }))
                .satisfies(e -> assertThat(e.isTrouble()).isTrue());

        bench.store.down(false);
        assertThatExceptionOfType(NotHandledException.class).isThrownBy(() -> bench.deliver(execution -> {}));
        bench.timeline.advance(LEASE);
        bench.deliver(execution -> {});
        assertThat(bench.runs).containsExactly(0, 0);
    }

    @Test
    void refusesToPublishWithinAStepBecauseALaterAttemptWouldNot() {
        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> bench.deliver(execution -> execution.once("charge", Boolean.class, () -> {
                    bench.publish();
                    return true;
                })))
                .withMessageContaining("charge");
        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> bench.deliver(execution -> execution.once("charge", Boolean.class, () -> {
                    bench.bunny.publishNow(new PaymentCaptured("1"));
                    return true;
                })));
        assertThat(bench.transport.attempted()).isEmpty();
    }

    @Test
    void refusesANameThatIsUsedTwiceInOneAttempt() {
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> bench.deliver(execution -> {
                    execution.once("charge", Integer.class, () -> 1);
                    execution.once("charge", Integer.class, () -> 2);
                }))
                .withMessageStartingWith("SB-5004 ")
                .withMessageContaining("charge");
    }

    @Test
    void refusesANameThatIsEmptyOrTooLong() {
        for (String name : new String[] {"", " ", "x".repeat(201)}) {
            assertThatExceptionOfType(MisuseException.class)
                    .isThrownBy(() -> bench.deliver(execution -> execution.once(name, Integer.class, () -> 1)));
        }
    }

    @Test
    void poisonsWhatCannotBeStoredBecauseARetryWouldRepeatTheStep() {
        assertThatExceptionOfType(PoisonMessageException.class)
                .isThrownBy(() -> bench.deliver(execution -> {
                    Object unused = execution.once("charge", Unwritable.class, Unwritable::new);
                }))
                .withMessageContaining("charge");
    }

    record Receipt(String bank, long cents) {
        Receipt {
            if (cents < 1) {
                throw new IllegalArgumentException("cents must be positive");
            }
        }
    }

    @Test
    void saysWhatIsWrongWithAStoredResult() throws Exception {
        for (Map.Entry<String, Map<String, Object>> wrong : Map.<String, Map<String, Object>>of(
                        "missing property 'cents'", Map.of("bank", "s3cret"),
                        "cents must be positive", Map.of("bank", "s3cret", "cents", 0))
                .entrySet()) {
            Handling execution = new Handling(new CurrentHandling(), MESSAGE);
            execution.attempt(() -> execution.once("charge", Object.class, wrong::getValue));
            execution.undoAttempt();

            assertThatExceptionOfType(PoisonMessageException.class)
                    .isThrownBy(() -> execution.once("charge", Receipt.class, () -> new Receipt("b", 1)))
                    .withMessageContaining(wrong.getKey())
                    .withMessageNotContaining("s3cret");
        }
    }

    /** The step has been run: a handler that goes on without its result must not be taken for done. */
    @Test
    void endsTheHandlingWhenAStoredResultCannotBeReadWhateverTheHandlerMakesOfIt() throws Exception {
        Handling execution = new Handling(new CurrentHandling(), MESSAGE);
        execution.attempt(() -> execution.once("charge", Object.class, () -> Map.of("bank", "b")));
        execution.undoAttempt();

        assertThatExceptionOfType(PoisonMessageException.class)
                .isThrownBy(() -> execution.attempt(() -> {
                    try {
                        Object unused = execution.once("charge", Receipt.class, () -> new Receipt("b", 1));
                    } catch (PoisonMessageException e) {
                        Object unused = execution.once("mail", Boolean.class, () -> true);
                    }
                }))
                .withMessageContaining("missing property 'cents'");
    }

    /** Jackson refuses it. */
    static final class Unwritable {
        public Unwritable getItself() {
            return this;
        }
    }

    @Test
    void remembersStepsWithoutAStoreForTheInMemoryRetries() throws Exception {
        Handling execution = new Handling(new CurrentHandling(), MESSAGE);
        execution.attempt(() -> execution.once("charge", PaymentCaptured.class, this::charge));
        execution.attempt(() -> execution.once("charge", PaymentCaptured.class, this::charge));

        assertThat(charges).hasValue(1);
    }

    /** Databases keep question marks for both, and the second would get the result of the first. */
    @Test
    void refusesNamesWithHalvesOfCharacters() throws Exception {
        for (String name : new String[] {"charge-\ud800", "charge-\udc00"}) {
            assertThatExceptionOfType(MisuseException.class)
                    .isThrownBy(
                            () -> bench.deliver(execution -> execution.once(name, PaymentCaptured.class, this::charge)))
                    .withMessageContaining("SB-5004")
                    .withMessageContaining("unpaired surrogate");
        }
        assertThat(charges).hasValue(0);
    }

    /** Otherwise its step would have run, and its message could never be handled. */
    @Test
    @SuppressWarnings("NullAway") // no result of it exists
    void refusesTypesThatNothingCouldBeReadAs() throws Exception {
        for (Class<?> type : List.of(Runnable.class, Locked.class)) {
            assertThatExceptionOfType(MisuseException.class)
                    .isThrownBy(() -> bench.deliver(execution -> execution.once("charge", type, () -> {
                        charges.incrementAndGet();
                        return null;
                    })))
                    .withMessageContaining("SB-5004")
                    .withMessageContaining(type.getName());
        }
        assertThat(charges).hasValue(0);
    }

    @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // Jackson looks for a constructor that it could call
    static final class Locked {
        private Locked(String number, int cents) {}

        public String getNumber() {
            return "";
        }
    }

    /** The step has been run: its result is kept, whatever it is. */
    @Test
    void keepsAResultWithHalvesOfCharacters() throws Exception {
        assertThatThrownBy(() -> bench.deliver(execution -> {
                    execution.once("charge", String.class, () -> "cut \ud83d");
                    throw new IOException("after the charge");
                }))
                .isInstanceOf(IOException.class);
        assertThat(bench.stored().steps().get("charge")).isEqualTo("\"cut \\uD83D\"");

        bench.deliver(bench.instance, MESSAGE.nextAttempt(), execution -> assertThat(
                        execution.once("charge", String.class, () -> "another"))
                .isEqualTo("cut \ud83d"));
    }
}
