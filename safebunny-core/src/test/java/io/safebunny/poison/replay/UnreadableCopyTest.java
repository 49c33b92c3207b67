// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.fixture.LogLines;
import io.safebunny.fixture.Wires;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.message.Headers;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.poison.EditFailedException;
import io.safebunny.poison.PoisonEdit;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.Verdict;
import io.safebunny.serialization.MessageSerializer;
import io.safebunny.serialization.SerializationException;
import io.safebunny.serialization.json.JsonMessageSerializer;
import io.safebunny.serialization.json.Serializers;
import io.safebunny.time.Deadline;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Type;
import java.net.ConnectException;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

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

    /** Asks a schema registry how to read a body, whose text says what comes of that. */
    private static final class RegistrySerializer implements MessageSerializer {

        static final String CONTENT_TYPE = "application/x-registry";

        @Override
        public String contentType() {
            return CONTENT_TYPE;
        }

        @Override
        public boolean reads(String contentType) {
            return contentType.equals(CONTENT_TYPE);
        }

        @Override
        public byte[] serialize(Object payload) {
            throw new SerializationException("not written here", null);
        }

        @Override
        public Object deserialize(byte[] body, Type target) {
            String how = new String(body, StandardCharsets.UTF_8);
            throw switch (how) {
                case "away" -> new UncheckedIOException(new ConnectException("no schema registry"));
                case "away, and it says so" -> new SerializationException("no schema", new ConnectException());
                case "reset" -> new IllegalStateException(new IOException("Connection reset by peer"));
                case "slow" -> new IllegalStateException(new TimeoutException());
                case "syntax" -> new UncheckedIOException(new SyntaxError());
                case "encoding" -> new UncheckedIOException(new MalformedInputException(1));
                default -> new IllegalStateException(how);
            };
        }
    }

    /** As some libraries have it. */
    static final class SyntaxError extends IOException {
        private static final long serialVersionUID = 1;
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
                .serializers(new Serializers(List.of(new JsonMessageSerializer(), new RegistrySerializer())))
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
        return engine.get(PoisonMessages.class);
    }

    private void setAside(String id, String how) {
        setAside(id, "application/json", "{\"how\":\"%s\"}".formatted(how));
    }

    private void setAside(String id, String contentType, String body) {
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
                                        .with("content_type", contentType)
                                        .withBody(body)
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

    /** A schema registry that is away says nothing about the copy, and is not the store. */
    @ParameterizedTest
    @ValueSource(strings = {"away", "away, and it says so", "reset", "slow"})
    void isUnknownWhileWhatItIsReadWithDoesNotAnswer(String how) {
        PoisonMessages poison = start(ExceptionDetails.FULL);
        setAside("o-1", RegistrySerializer.CONTENT_TYPE, how);

        assertThat(poison.list(PoisonFilter.all()).messages()).singleElement().satisfies(copy -> {
            assertThat(copy.verdict()).isEqualTo(Verdict.UNKNOWN);
            assertThat(copy.explanation()).contains("cannot be read just now").doesNotContain("store");
        });
        assertThatExceptionOfType(EditFailedException.class)
                .isThrownBy(() -> poison.edit(
                        new PoisonEdit("o-1", "digest-o-1", "away".getBytes(StandardCharsets.UTF_8), "tester", "why")))
                .withMessageContainingAll("SB-5015", "cannot be read just now");
        assertThat(broker.messages("billing-poison")).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"syntax", "encoding", "a bug"})
    void isRefusedForWhatItContains(String how) {
        PoisonMessages poison = start(ExceptionDetails.FULL);
        setAside("o-1", RegistrySerializer.CONTENT_TYPE, how);

        assertThat(poison.list(PoisonFilter.all()).messages())
                .singleElement()
                .extracting(PoisonedMessage::verdict)
                .isEqualTo(Verdict.REFUSED);
    }

    /** With the new body's own constructor. */
    @ParameterizedTest
    @EnumSource(ExceptionDetails.class)
    void aRefusedEditTellsWhatTheConstructorSaysIfThatMayBeTold(ExceptionDetails details) {
        PoisonMessages poison = start(details);
        setAside("o-1", "well");

        try (LogLines log = new LogLines("io.safebunny.poison.replay")) {
            assertThatExceptionOfType(EditFailedException.class)
                    .isThrownBy(() -> poison.edit(new PoisonEdit(
                            "o-1",
                            "digest-o-1",
                            "{\"how\":\"exception\"}".getBytes(StandardCharsets.UTF_8),
                            "tester",
                            "why")))
                    .satisfies(e -> assertThat(String.valueOf(e.getMessage()).contains("in the constructor"))
                            .isEqualTo(details == ExceptionDetails.FULL));
            assertThat(log.printed().contains("in the constructor")).isEqualTo(details == ExceptionDetails.FULL);
        }
    }

    /** Of whatever ends a whole operation, which is also what the endpoint answers. */
    @ParameterizedTest
    @EnumSource(ExceptionDetails.class)
    void aFailedOperationQuotesWhatMayBeTold(ExceptionDetails details) {
        TrackedOperation operation = new TrackedOperation(
                PoisonOperation.Kind.REPLAY, PoisonRequest.of(PoisonFilter.all(), "tester", "why"), timeline, details);

        Throwable logged = operation.fail(new IllegalStateException("card 4111"));

        assertThat(logged.toString().contains("4111")).isEqualTo(details == ExceptionDetails.FULL);
        assertThat(operation.progress().failure())
                .contains("IllegalStateException")
                .matches(failure -> failure.contains("4111") == (details == ExceptionDetails.FULL));
    }
}
