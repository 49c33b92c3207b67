// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.BunnyMessage;
import io.safebunny.MessageContext;
import io.safebunny.PoisonMessageException;
import io.safebunny.PublishOptions;
import io.safebunny.ScheduledMessages;
import io.safebunny.ThrottledException;
import io.safebunny.message.Envelope;
import io.safebunny.message.Names;
import io.safebunny.message.WireMessage;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.Starts;
import io.safebunny.serialization.BodyCodec;
import io.safebunny.serialization.CodecException;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import io.safebunny.transport.Transport;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/**
 * A codec that binds bodies to all that {@link BodyCodec} says it may bind them to can decode them, by whatever way the messages come. The
 * node tells its own name as {@code test.node}.
 */
@Timeout(300)
abstract class BoundBodiesRules {

    private static final Duration SOON = Duration.ofMinutes(2);
    private static final String NODE_OF_OTHERS = "others";

    /** What identifies the message stands in front of its body, so that a failure says what has changed. */
    static final class Bound implements BodyCodec {

        final List<String> refused = new CopyOnWriteArrayList<>();

        @Override
        public String encoding() {
            return "x-bound";
        }

        private static String bound(Envelope message) {
            Map<String, String> headers = new TreeMap<>();
            message.headers().forEach((name, value) -> headers.put(name, value.getClass() + " " + value));
            return String.join(
                    "\n",
                    message.id(),
                    message.correlationId(),
                    "cause " + message.causationId(),
                    message.type(),
                    message.node(),
                    "marker " + message.marker(),
                    "undoes " + message.undoes(),
                    message.contentType(),
                    message.encodings().toString(),
                    "key " + message.orderKey(),
                    "made at " + message.madeAt(),
                    headers.toString());
        }

        @Override
        public byte[] encode(Envelope message) {
            byte[] bound = bound(message).getBytes(StandardCharsets.UTF_8);
            return ByteBuffer.allocate(4 + bound.length + message.body().length)
                    .putInt(bound.length)
                    .put(bound)
                    .put(message.body())
                    .array();
        }

        @Override
        public byte[] decode(Envelope message, long maxSize) {
            ByteBuffer encoded = ByteBuffer.wrap(message.body());
            byte[] bound = new byte[encoded.getInt()];
            byte[] body = new byte[encoded.get(bound).remaining()];
            encoded.get(body);
            String was = new String(bound, StandardCharsets.UTF_8);
            if (!was.equals(bound(message))) {
                refused.add("encoded as\n%s\nand decoded as\n%s".formatted(was, bound(message)));
                throw new CodecException("Cannot decode the body: it is bound to another message", null);
            }
            return body;
        }
    }

    @BunnyMessage(orderBy = "key")
    record Ordered(String key, int number) {}

    @BunnyMessage(validFor = "1h")
    record Plain(String way) {}

    record Begin(String order) {}

    record Reserve(String order) {}

    record Release(String order) {}

    record Refused(String order) {}

    @BunnySaga
    static class Purchase {
        record State(String order) {}

        @Starts
        @BunnyHandler(from = "${test.node}")
        State on(Begin begin, SagaContext saga) {
            saga.step("reserve", new Reserve(begin.order()), new Release(begin.order()));
            return new State(begin.order());
        }

        @BunnyHandler(from = "${test.node}")
        void on(Refused refused, SagaContext saga) {
            saga.fail("refused");
        }
    }

    static class Handlers {

        private final Bunny bunny;
        private final Map<String, Integer> runs = new ConcurrentHashMap<>();
        final List<String> handled = new CopyOnWriteArrayList<>();
        volatile boolean repaired;

        Handlers(Bunny bunny) {
            this.bunny = bunny;
        }

        private int run(String what) {
            return runs.merge(what, 1, Integer::sum);
        }

        @BunnyHandler(from = {"${test.node}", NODE_OF_OTHERS})
        void on(Plain plain, MessageContext context) {
            int run = run(plain.way());
            switch (plain.way()) {
                case "retried" -> failUnless(run > 1);
                case "comes back" -> {
                    if (run == 1) {
                        throw new ThrottledException(Duration.ofMillis(50));
                    }
                }
                case "replayed" -> {
                    if (!repaired) {
                        throw new PoisonMessageException("not repaired");
                    }
                    failUnless(context.attempt() > 0);
                }
                case "parent" -> {
                    bunny.publish(new Plain("child"), everything());
                    bunny.publishNow(new Plain("child, now"), everything());
                }
                default -> {}
            }
            handled.add(plain.way());
        }

        @BunnyHandler(from = "${test.node}", ordered = true, shards = "2")
        void on(Ordered ordered) {
            failUnless(run(ordered.key() + ordered.number()) > 1 || ordered.number() > 0);
            handled.add(ordered.key() + " " + ordered.number());
        }

        @BunnyHandler(from = "${test.node}")
        void on(Reserve reserve) {
            if (!repaired) {
                throw new PoisonMessageException("not repaired");
            }
            handled.add("reserve " + reserve.order());
        }

        @BunnyHandler(from = "${test.node}")
        void on(Release release) {
            failUnless(run("release" + release.order()) > 1);
            handled.add("release " + release.order());
        }

        private static void failUnless(boolean fine) {
            if (!fine) {
                throw new IllegalStateException("for the first time");
            }
        }
    }

    /** The node under test. */
    abstract ApplicationContextRunner runner();

    private ApplicationContextRunner node() {
        return runner().withBean(Bound.class)
                .withBean(Purchase.class)
                .withBean(Handlers.class)
                .withPropertyValues(
                        "safebunny.publisher.encoding=x-bound",
                        "safebunny.scheduling.enabled=true",
                        "safebunny.retry.max-retries=0",
                        "safebunny.delayed-retry.delays=50ms,50ms",
                        "safebunny.dedup.lease=2s");
    }

    /** Headers of each class, and an order key of its own. */
    private static PublishOptions everything() {
        return PublishOptions.none()
                .withOrderKey("key-7")
                .withHeader("text", "ü".repeat(2_000))
                .withHeader("empty", "")
                .withHeader("flag", true)
                .withHeader("int", 7)
                .withHeader("long", 7L)
                .withHeader("short", (short) 7)
                .withHeader("byte", (byte) 7)
                .withHeader("double", 1.1)
                .withHeader("float", 1.1f)
                .withHeader("decimal", new BigDecimal("1.10"))
                .withHeader("date", Date.from(Instant.parse("2026-01-02T03:04:05.678Z")));
    }

    private static void awaitHandled(AssertableApplicationContext context, String... what) {
        await().atMost(SOON).untilAsserted(() -> {
            assertThat(context.getBean(Bound.class).refused).isEmpty();
            assertThat(context.getBean(Handlers.class).handled).contains(what);
        });
    }

    private static void awaitPoison(AssertableApplicationContext context, int copies) {
        await().atMost(SOON).untilAsserted(() -> assertThat(context.getBean(PoisonMessages.class)
                        .list(PoisonFilter.all())
                        .messages())
                .extracting(PoisonedMessage::reason)
                .hasSize(copies)
                .containsOnly("handler-failed"));
    }

    @Test
    void afterARetryAComeBackAReplayAndAStay() {
        node().run(context -> {
            Bunny bunny = context.getBean(Bunny.class);
            for (String way : List.of("direct", "retried", "comes back", "replayed", "parent")) {
                bunny.publish(
                        new Plain(way), everything().withDeadline(Instant.now().plusSeconds(600)));
            }
            bunny.publish(new Plain("delayed"), everything().withDelay(Duration.ofMillis(300)));
            bunny.publish(
                    new Plain("due"), everything().withDeliverAt(Instant.now().plusMillis(300)));
            bunny.publishAsync(new Plain("async"), everything()).join();
            ScheduledMessages scheduled = context.getBean(ScheduledMessages.class);
            Instant later = Instant.now().plusSeconds(1);
            scheduled.schedule(new Plain("scheduled"), everything().withDeliverAt(later));
            String moved = scheduled.schedule(
                    new Plain("moved"), everything().withDeliverAt(Instant.now().plusSeconds(3_000)));
            await().atMost(SOON).until(() -> scheduled.move(moved, later));

            awaitHandled(
                    context,
                    "direct",
                    "retried",
                    "comes back",
                    "parent",
                    "child",
                    "child, now",
                    "delayed",
                    "due",
                    "async",
                    "scheduled",
                    "moved");
            awaitPoison(context, 1);
            context.getBean(Handlers.class).repaired = true;
            context.getBean(PoisonMessages.class)
                    .replay(PoisonRequest.of(PoisonFilter.all(), "test", "repaired"))
                    .await(SOON);
            awaitHandled(context, "replayed");
        });
    }

    /** One id, 1,000 encodings, each of which has other bytes: as many salts, and each level of compression. */
    @Test
    void asADuplicateHoweverItIsEncoded() {
        node().run(context -> {
            Transport transport = context.getBean(Transport.class);
            Deadline deadline = Deadline.after(SOON, context.getBean(Timeline.class));
            for (int i = 0; i < 1_000; i++) {
                Route route = new Route.ToSubscribers(Names.address(NODE_OF_OTHERS, "Plain"));
                transport
                        .send(new OutboundMessage(encoded(i), route, Duration.ZERO), deadline)
                        .join();
            }
            for (int i = 0; i < 20; i++) { // more than are handled at once, so that all of the others were
                context.getBean(Bunny.class).publish(new Plain("last " + i), PublishOptions.none());
            }

            awaitHandled(
                    context, IntStream.range(0, 20).mapToObj(i -> "last " + i).toArray(String[]::new));
            assertThat(context.getBean(Handlers.class).handled)
                    .filteredOn(way -> way.equals("encoded"))
                    .hasSize(1);
            assertThat(context.getBean(PoisonMessages.class)
                            .list(PoisonFilter.all())
                            .messages())
                    .isEmpty();
        });
    }

    private static WireMessage encoded(int salt) throws IOException {
        Envelope plain = new Envelope(
                "the-same",
                "order-1",
                "Plain",
                NODE_OF_OTHERS,
                1,
                null,
                0,
                0,
                Instant.now().toEpochMilli(),
                null,
                Map.of(),
                Map.of(),
                "application/json",
                "{\"way\":\"encoded\"}".getBytes(StandardCharsets.UTF_8));
        if (salt == 0) {
            return plain.toWire();
        }
        List<String> encodings = salt % 2 == 0 ? List.of("gzip") : List.of("gzip", "x-bound");
        Envelope compressed = plain.withEncodings(encodings).withBody(compressed(plain.body(), salt));
        return salt % 2 == 0
                ? compressed.toWire()
                : compressed.withBody(new Bound().encode(compressed)).toWire();
    }

    private static byte[] compressed(byte[] body, int salt) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes) {
            {
                def.setLevel(salt % 10);
            }
        }) {
            gzip.write(body);
        }
        byte[] compressed = bytes.toByteArray();
        ByteBuffer.wrap(compressed).putInt(4, salt); // where gzip has the time of a file
        return compressed;
    }

    /** The first message of each key is retried, so those behind it wait in the store, after they were forwarded to the shard. */
    @Test
    void inShardsAndBehindOthers() {
        node().run(context -> {
            for (int number = 0; number < 3; number++) {
                for (String key : List.of("a", "b", "c", "d")) {
                    context.getBean(Bunny.class).publish(new Ordered(key, number), PublishOptions.none());
                }
            }

            awaitHandled(context, "a 0", "b 0", "c 0", "d 0", "a 2", "b 2", "c 2", "d 2");
        });
    }

    @Test
    void ofACommandThatIsSentAgainAndOfItsUndo() {
        node().run(context -> {
            Bunny bunny = context.getBean(Bunny.class);
            Sagas sagas = context.getBean(Sagas.class);
            PublishOptions ofSaga = PublishOptions.none().withCorrelationId("order-1");
            bunny.publish(new Begin("1"), ofSaga);
            awaitPoison(context, 1);
            await().atMost(SOON)
                    .until(
                            () -> sagas.find("Purchase", "order-1")
                                    .orElseThrow()
                                    .blockedOn(),
                            found -> !found.isEmpty());
            context.getBean(Handlers.class).repaired = true;

            sagas.retry("Purchase", "order-1", "repaired");
            awaitHandled(context, "reserve 1");
            bunny.publish(new Refused("1"), ofSaga);
            awaitHandled(context, "release 1");
            await().atMost(SOON)
                    .until(() -> sagas.find("Purchase", "order-1").orElseThrow().status() == SagaStatus.FAILED);
        });
    }
}
