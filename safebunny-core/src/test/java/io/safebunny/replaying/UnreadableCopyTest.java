// SPDX-License-Identifier: Apache-2.0
package io.safebunny.replaying;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.engine.SafeBunnyOptions;
import io.safebunny.engine.SafeBunnyParts;
import io.safebunny.failure.ExceptionDetails;
import io.safebunny.fixture.Wires;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.message.Headers;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.Verdict;
import io.safebunny.recovery.RecoveryPolicy;
import io.safebunny.recovery.RetryStrategy;
import io.safebunny.spi.transport.OutboundMessage;
import io.safebunny.spi.transport.Route;
import io.safebunny.store.memory.MemoryMessageStore;
import io.safebunny.time.Deadline;
import io.safebunny.time.VirtualTimeline;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.memory.MemoryBroker;
import io.safebunny.transport.memory.MemoryTransport;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What fails while one copy is read is that copy's own verdict, and spoils neither the list nor the other copies. */
class UnreadableCopyTest {

    /** Reads as the text of its order says. */
    record Fragile(String how) {
        Fragile {
            switch (how) {
                case "error" -> throw new StackOverflowError("in the constructor");
                case "exception" -> throw new IllegalStateException("in the constructor");
                case "initialiser" -> Broken.touch();
                default -> {}
            }
        }
    }

    static final class Broken {
        static final int VALUE = Integer.parseInt("no number");

        private Broken() {}

        static void touch() {
            if (VALUE == 0) {
                throw new AssertionError();
            }
        }
    }

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final MemoryBroker broker = new MemoryBroker(timeline, tasks::add);
    private final MemoryTransport transport = new MemoryTransport(broker, TopologyOptions.defaults());

    private PoisonMessages start(ExceptionDetails details) {
        SafeBunnyEngine engine = new SafeBunnyEngine(SafeBunnyParts.builder(
                        SafeBunnyOptions.of("billing").withExceptionDetails(details), transport, timeline)
                .store(new MemoryMessageStore(timeline, Duration.ofDays(7)))
                .callbacks(tasks::add)
                .build());
        engine.start(List.of(new HandlerDefinition(
                "billing.on(Fragile)",
                "Fragile",
                Fragile.class,
                List.of("orders"),
                10,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                (payload, context) -> {})));
        return engine.poisonMessages();
    }

    private void setAside(String id, String how) {
        var unused = transport
                .send(
                        new OutboundMessage(
                                Wires.orderPlaced()
                                        .with("message_id", id)
                                        .with("type", "Fragile")
                                        .withHeader(Headers.POISON_REASON, "malformed-body")
                                        .withHeader(Headers.POISON_QUEUE, "billing-Fragile")
                                        .withHeader(Headers.POISONED_AT, VirtualTimeline.START.toEpochMilli())
                                        .withHeader(Headers.POISON_DIGEST, "digest-" + id)
                                        .withBody("{\"how\":\"%s\"}".formatted(how))
                                        .wire(),
                                new Route.Poison("billing"),
                                Duration.ZERO),
                        Deadline.after(Duration.ofSeconds(5), timeline))
                .join();
        settle();
    }

    private void settle() {
        for (Runnable next = tasks.poll(); next != null; next = tasks.poll()) {
            next.run();
        }
    }

    private PoisonOperation.Progress ended(PoisonOperation operation) {
        settle();
        return operation.progress();
    }

    @ParameterizedTest
    @EnumSource(ExceptionDetails.class)
    void isJudgedToldAndDiscardedWhateverItsConstructorThrows(ExceptionDetails details) {
        PoisonMessages poison = start(details);
        for (String how : List.of("error", "exception", "initialiser", "well")) {
            setAside(how, how);
        }

        List<PoisonedMessage> listed = poison.list(PoisonFilter.all()).messages();
        assertThat(listed)
                .extracting(PoisonedMessage::verdict)
                .containsExactly(Verdict.REFUSED, Verdict.REFUSED, Verdict.REFUSED, Verdict.RUN);
        assertThat(listed.get(0).explanation()).contains("StackOverflowError");
        assertThat(listed.get(0).explanation().contains("in the constructor"))
                .isEqualTo(details == ExceptionDetails.FULL);
        assertThat(poison.find("error")).hasSize(1);

        PoisonRequest all = PoisonRequest.of(PoisonFilter.all(), "tester", "a test");
        assertThat(ended(poison.replay(all)).moved()).isEqualTo(1);
        PoisonOperation.Progress discarded = ended(poison.discard(all));

        assertThat(discarded.moved()).as(discarded.toString()).isEqualTo(3);
        assertThat(broker.messages("billing-poison")).isEmpty();
        assertThat(broker.messages("billing-poison-archive")).hasSize(3);
    }
}
