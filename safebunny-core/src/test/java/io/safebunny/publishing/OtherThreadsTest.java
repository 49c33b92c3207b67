// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.safebunny.Bunny;
import io.safebunny.PublishOptions;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.fixture.LogLines;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.fixture.Wires;
import io.safebunny.handling.Handling;
import io.safebunny.handling.OpenHandling;
import io.safebunny.message.Envelope;
import io.safebunny.middleware.Next;
import io.safebunny.transport.OutboundMessage;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Publishing in a handler from other threads than its own. */
class OtherThreadsTest {

    private static final PaymentCaptured PAYLOAD = new PaymentCaptured("o-1");
    private static final PublishOptions KEY = PublishOptions.none().withIdempotencyKey("k");

    private final Publisher publisher = new Publisher();
    private final Handling handling =
            new Handling(publisher.current, Wires.orderPlaced().envelope());

    private Bunny joining() {
        return ((PipelineBunny) publisher.bunny).within(handling);
    }

    /** @return what it threw */
    private static @Nullable Throwable onAnotherThread(Next action) throws InterruptedException {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread other = new Thread(() -> failure.set(catchThrowable(action::run)), "other");
        other.start();
        other.join();
        return failure.get();
    }

    @Test
    void isPartOfTheHandling() throws Exception {
        handling.run(() -> {
            Bunny joining = joining();
            assertThat(onAnotherThread(() -> joining.publish(PAYLOAD, KEY))).isNull();
            assertThat(joining.publishAsync(new PaymentCaptured("o-2"), KEY.withIdempotencyKey("l")))
                    .isCompleted();
        });

        assertThat(publisher.transport.attempted()).isEmpty();
        assertThat(handling.collected()).hasSize(2);
        Envelope child = Publisher.read(handling.collected().get(0));
        assertThat(child.correlationId()).isEqualTo(Wires.CORRELATION_ID);
        assertThat(child.causationId()).isEqualTo(Wires.ID);
        assertThat(child.marker()).isEqualTo(3);
    }

    @Test
    void givesTheIdThatTheKeyGivesOnTheHandlersThread() throws Exception {
        List<OutboundMessage> own = publisher.handling(() -> publisher.bunny.publish(PAYLOAD, KEY));
        handling.run(() -> {
            Bunny joining = joining();
            assertThat(onAnotherThread(() -> joining.publish(PAYLOAD, KEY))).isNull();
        });

        assertThat(Publisher.ids(handling.collected())).isEqualTo(Publisher.ids(own));
    }

    @Test
    void needsAKey() throws Exception {
        handling.run(() -> {
            Bunny joining = joining();
            assertThat(onAnotherThread(() -> joining.publish(PAYLOAD)))
                    .isInstanceOf(InvalidPublicationException.class)
                    .hasMessageContaining("needs an idempotency key [type=PaymentCaptured]");
        });

        assertThat(handling.collected()).isEmpty();
    }

    @Test
    void isSentAtOnceWhenAskedTo() throws Exception {
        handling.run(() -> {
            Bunny joining = joining();
            assertThat(onAnotherThread(() -> joining.publishNow(PAYLOAD, KEY))).isNull();
            assertThat(publisher.onlyOne().causationId()).isEqualTo(Wires.ID);
        });

        assertThat(handling.collected()).isEmpty();
    }

    @Test
    void losesNothingWhenManyDoItAtOnce() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            handling.run(() -> {
                Bunny joining = joining();
                IntStream.range(0, 4_000)
                        .forEach(i -> threads.execute(
                                () -> joining.publish(PAYLOAD, KEY.withIdempotencyKey(Integer.toString(i)))));
                threads.shutdown();
                assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
            });
        } finally {
            threads.shutdownNow();
        }

        assertThat(Publisher.ids(handling.collected())).hasSize(4_000).doesNotHaveDuplicates();
    }

    @Test
    void isRefusedAfterTheHandlerHasReturned() throws Exception {
        Bunny[] kept = new Bunny[1];
        handling.run(() -> {
            handling.attempt(() -> kept[0] = joining());
            assertRefused(kept[0], "has returned");
            assertThat(handling.collected()).isEmpty();
        });
        handling.run(() -> kept[0] = joining());
        assertRefused(kept[0], "has returned");

        assertThat(handling.collected()).isEmpty();
        assertThat(publisher.transport.attempted()).isEmpty();
    }

    private static void assertRefused(Bunny bunny, String text) {
        for (Next way : List.<Next>of(
                () -> bunny.publish(PAYLOAD, KEY),
                () -> bunny.publishNow(PAYLOAD, KEY),
                () -> bunny.publishAsync(PAYLOAD, KEY).get())) {
            assertThat(catchThrowable(way::run)).hasStackTraceContaining(text);
        }
    }

    @Test
    void bringsNothingOfAFailedAttemptIntoTheNext() throws Exception {
        Bunny[] kept = new Bunny[1];
        handling.run(() -> {
            Throwable failure = catchThrowable(() -> handling.attempt(() -> {
                kept[0] = joining();
                kept[0].publish(PAYLOAD, KEY);
                throw new IllegalStateException("failed");
            }));
            assertThat(failure).isInstanceOf(IllegalStateException.class);
            handling.attempt(() -> {
                assertRefused(kept[0], "has returned");
                joining().publish(new PaymentCaptured("second"), KEY);
            });
        });

        assertThat(handling.collected()).hasSize(1);
    }

    @Test
    void isRefusedWhileAStepIsRun() throws Exception {
        handling.run(() -> {
            Bunny joining = joining();
            handling.once("charge", Boolean.class, () -> {
                assertThat(onAnotherThread(() -> joining.publish(PAYLOAD, KEY)))
                        .isInstanceOf(InvalidPublicationException.class)
                        .hasMessageContaining("Step [charge]");
                assertThatExceptionOfType(InvalidPublicationException.class).isThrownBy(this::joining);
                return true;
            });
        });

        assertThat(handling.collected()).isEmpty();
    }

    @Test
    void isAskedForOnTheHandlersThread() throws Exception {
        handling.run(() -> assertThat(onAnotherThread(this::joining))
                .isInstanceOf(InvalidPublicationException.class)
                .hasMessageContaining("must be called on the handler's thread"));
        assertThatExceptionOfType(InvalidPublicationException.class).isThrownBy(this::joining);
    }

    @Test
    void withoutThatIsToldOncePerClassOnThreadsThatTheHandlerStarted() throws Exception {
        try (LogLines log = new LogLines(StrayPublications.class.getName())) {
            handling.run(() -> {
                for (int i = 0; i < 3; i++) {
                    assertThat(onAnotherThread(() -> publisher.bunny.publish(PAYLOAD)))
                            .isNull();
                }
                assertThat(onAnotherThread(() -> assertThat(onAnotherThread(() -> publisher.bunny.publishNow(PAYLOAD)))
                                .isNull()))
                        .isNull();
            });

            assertThat(log.texts())
                    .singleElement()
                    .asString()
                    .contains(
                            PaymentCaptured.class.getName(), "thread 'other'", Wires.ID, "MessageContext.publisher()");
        }
        assertThat(publisher.transport.confirmed()).hasSize(4);
    }

    @Test
    void isNotToldOfWhatIsMeantSoAndOfWhatComesLater() throws Exception {
        try (LogLines log = new LogLines(StrayPublications.class.getName())) {
            ExecutorService pool = Executors.newSingleThreadExecutor();
            try {
                handling.run(() -> {
                    pool.submit(() -> {}).get(); // its thread is started here
                    assertThat(onAnotherThread(() -> publisher.bunny.publish(PAYLOAD, KEY.withCorrelationId("saga-2"))))
                            .isNull();
                });
                pool.submit(() -> publisher.bunny.publish(PAYLOAD)).get();
            } finally {
                pool.shutdownNow();
            }
            publisher.bunny.publish(PAYLOAD);

            assertThat(log.texts()).isEmpty();
        }
    }

    @Test
    void collectingIsOverAtOnceWhenTheAttemptIs() throws Exception {
        OpenHandling[] open = new OpenHandling[1];
        OutboundMessage message = publisher.message();
        handling.run(() -> handling.attempt(() -> open[0] = handling.open()));

        assertThatExceptionOfType(InvalidPublicationException.class).isThrownBy(() -> open[0].collect(message));
    }
}
