// SPDX-License-Identifier: Apache-2.0
package io.safebunny.claimcheck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.BunnyCircuitBreaker.Change;
import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.PublishOptions;
import io.safebunny.ScheduledMessages;
import io.safebunny.bodies.BodyReference;
import io.safebunny.bodies.BodyStore;
import io.safebunny.bodies.BodyStoreUnavailableException;
import io.safebunny.breaker.BreakerSettings;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.crypto.EncryptingCodec;
import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.encryption.Encrypted;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.message.WireMessage;
import io.safebunny.node.Codecs;
import io.safebunny.node.Compression;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.operations.NodeCondition;
import io.safebunny.poison.PoisonCopy;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.Verdict;
import io.safebunny.poison.queue.PoisonDigest;
import io.safebunny.serialization.BodyCodec;
import io.safebunny.test.bodies.MemoryBodyStore;
import io.safebunny.test.encryption.MemoryKeys;
import io.safebunny.time.Deadline;
import io.safebunny.transport.OutboundMessage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Messages with large bodies, from one node to another. */
class LargeMessagesTest {

    private static final String POISON = "archive-poison";
    private static final String TEXT = "All work and no play. ".repeat(100);
    private static final long ABOVE = 1_000;
    private static final Duration LONGEST_WAIT = Duration.ofDays(30);

    private record Scanned(String text) {}

    @Encrypted(key = "scans")
    private record Secret(String text) {}

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final MemoryBroker broker = new MemoryBroker(timeline, Runnable::run);
    private final MemoryBodyStore bodies = new MemoryBodyStore(timeline);
    private final MemoryKeys keys = MemoryKeys.of("scans");
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final Map<String, CircuitBreakers> breakers = new LinkedHashMap<>();
    private final List<Object> handled = new ArrayList<>();
    private final List<WireMessage> sent = new ArrayList<>();
    private Consumer<Object> handler = handled::add;
    private UnaryOperator<WireMessage> onTheWire = UnaryOperator.identity();
    private Compression compression = Compression.NONE;
    private boolean schedules;

    private final class Wire extends ForwardingTransport {
        private final boolean isSenders;

        Wire(SafeBunnyOptions options) {
            super(new MemoryTransport(broker, options.topology(), Runnable::run));
            this.isSenders = options.node().equals("scanner");
        }

        @Override
        public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
            WireMessage wire = isSenders ? onTheWire.apply(message.message()) : message.message();
            sent.add(wire);
            return super.send(message.withMessage(wire), deadline);
        }
    }

    private StoringClaimCheck claimCheck(BodyStore... stores) {
        return new StoringClaimCheck(List.of(stores), null, ABOVE, LONGEST_WAIT, timeline, new BodyMeters(meters));
    }

    private Codecs codecs() {
        List<BodyCodec> codecs = List.of(new EncryptingCodec(keys, timeline, Set.of()));
        return new Codecs(codecs, null, compression, claimCheck(bodies));
    }

    private SafeBunnyEngine node(String name, Codecs codecs, HandlerDefinition... handlers) {
        SafeBunnyOptions options = SafeBunnyOptions.of(name).withMaxMessageSize(1_000_000);
        CircuitBreakers own = new CircuitBreakers(BreakerSettings.defaults(), timeline, Runnable::run);
        breakers.put(name, own);
        SafeBunnyEngine engine = new SafeBunnyEngine(SafeBunnyParts.builder(options, new Wire(options), timeline)
                .store(new MemoryMessageStore(timeline, Duration.ofDays(7)))
                .codecs(codecs)
                .scheduling(schedules)
                .breakers(own)
                .callbacks(Runnable::run)
                .build());
        engine.start(List.of(handlers));
        return engine;
    }

    private HandlerDefinition definition(String type, Class<?> payload, String from) {
        return new HandlerDefinition(
                type.toLowerCase(Locale.ROOT),
                type,
                payload,
                List.of(from),
                10,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.of(2, Duration.ofMinutes(1))),
                (message, context) -> handler.accept(message));
    }

    private SafeBunnyEngine archive() {
        return node(
                "archive",
                codecs(),
                definition("Scanned", Scanned.class, "scanner"),
                definition("Secret", Secret.class, "scanner"));
    }

    private SafeBunnyEngine scanner() {
        return node("scanner", codecs());
    }

    private WireMessage poison() {
        List<WireMessage> poison = broker.messages(POISON);
        assertThat(poison).hasSize(1);
        return poison.get(0);
    }

    private static WireMessage with(WireMessage wire, String header, @Nullable Object value) {
        Map<String, Object> headers = new LinkedHashMap<>(wire.headers());
        if (value == null) {
            headers.remove(header);
        } else {
            headers.put(header, value);
        }
        return wire.withHeaders(headers);
    }

    private static long length(WireMessage wire) {
        return (Long) Objects.requireNonNull(wire.headers().get("sb-claim-length"));
    }

    private static WireMessage withABodyBesides(WireMessage wire) {
        return new WireMessage(
                wire.messageId(),
                wire.correlationId(),
                wire.type(),
                wire.appId(),
                wire.timestamp(),
                wire.contentType(),
                wire.contentEncoding(),
                wire.headers(),
                "{}".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void theMessageCarriesAReferenceAndItsHandlerGetsTheBody() {
        archive();
        scanner().bunny().publish(new Scanned(TEXT));

        WireMessage wire = sent.get(0);
        assertThat(wire.body()).isEmpty();
        assertThat(wire.contentType()).isEqualTo("application/json");
        String sha256 = String.valueOf(wire.headers().get("sb-claim-sha256"));
        assertThat(sha256).matches("[0-9a-f]{64}");
        assertThat(wire.headers())
                .containsEntry("sb-claim", "memory:" + wire.messageId() + "-" + sha256)
                .containsEntry("sb-claim-length", (long) ("{\"text\":\"\"}".length() + TEXT.length()));
        assertThat(handled).containsExactly(new Scanned(TEXT));
        assertThat(meters.counter("safebunny.claim", "store", "memory", "outcome", "put")
                        .count())
                .isEqualTo(1);
        assertThat(meters.counter("safebunny.claim.bytes", "store", "memory", "outcome", "fetched")
                        .count())
                .isGreaterThan(TEXT.length());
    }

    @Test
    void aSmallBodyIsSentAsEver() {
        archive();
        scanner().bunny().publish(new Scanned("short"));

        assertThat(sent.get(0).body()).isNotEmpty();
        assertThat(sent.get(0).headers()).doesNotContainKeys("sb-claim", "sb-claim-sha256", "sb-claim-length");
        assertThat(bodies.puts()).isZero();
        assertThat(bodies.opened()).isZero();
        assertThat(handled).containsExactly(new Scanned("short"));
    }

    @Test
    void aRepeatIsARepeatAndHasTheSameBody() {
        archive();
        SafeBunnyEngine scanner = scanner();
        for (int i = 0; i < 3; i++) {
            scanner.bunny().publish(new Scanned(TEXT), PublishOptions.none().withIdempotencyKey("one"));
        }

        assertThat(bodies.puts()).isEqualTo(3);
        assertThat(bodies.size()).isEqualTo(1);
        assertThat(handled).hasSize(1);
        assertThat(broker.depth(POISON)).isZero();
    }

    @Test
    void whatIsPutIsWhatWouldHaveBeenOnTheWire() throws IOException {
        compression = new Compression(100, false);
        List<byte[]> put = new ArrayList<>();
        BodyStore seen = new BodyStore() {
            @Override
            public String name() {
                return "seen";
            }

            @Override
            public void put(BodyReference reference, byte[] body) {
                put.add(body);
            }

            @Override
            public InputStream open(BodyReference reference) {
                return new ByteArrayInputStream(put.get(put.size() - 1));
            }

            @Override
            public int deleteOlderThan(Instant limit, int most) {
                return 0;
            }
        };
        List<BodyCodec> codecs = List.of(new EncryptingCodec(keys, timeline, Set.of()));
        Codecs own = new Codecs(codecs, null, compression, claimCheck(seen));
        node(
                "archive",
                own,
                definition("Scanned", Scanned.class, "scanner"),
                definition("Secret", Secret.class, "scanner"));
        SafeBunnyEngine scanner = node("scanner", own);
        String random = new Random(1)
                .ints(5_000, 'a', 'z')
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        scanner.bunny().publish(new Scanned(random));
        scanner.bunny().publish(new Secret(random));

        assertThat(new GZIPInputStream(new ByteArrayInputStream(put.get(0))).readAllBytes())
                .asString()
                .contains(random);
        assertThat(new String(put.get(1), StandardCharsets.ISO_8859_1))
                .startsWith("SB1")
                .doesNotContain(random);
        assertThat(sent).extracting(WireMessage::contentEncoding).startsWith("gzip", "sb-aes");
        assertThat(handled).containsExactly(new Scanned(random), new Secret(random));
    }

    /** What whoever can publish may try with bodies that are not theirs. */
    @Test
    void aReferenceToSomethingElseReadsNothing() {
        archive();
        SafeBunnyEngine scanner = scanner();
        scanner.bunny().publish(new Scanned(TEXT));
        String others = String.valueOf(sent.get(0).headers().get("sb-claim"));
        String digest = String.valueOf(sent.get(0).headers().get("sb-claim-sha256"));
        int before = bodies.opened();
        Map<String, UnaryOperator<WireMessage>> attacks = new LinkedHashMap<>();
        for (String claim : List.of(
                others,
                "memory:../../etc/passwd",
                "memory:/etc/passwd",
                "memory:" + digest,
                "memory:*",
                "memory:",
                "memory",
                ":",
                "",
                "Memory:x",
                "http://127.0.0.1/" + digest,
                "file:///etc/passwd",
                "memory:x".repeat(500))) {
            attacks.put(claim, wire -> with(wire, "sb-claim", claim));
        }
        attacks.put("length -1", wire -> with(wire, "sb-claim-length", -1L));
        attacks.put("length as text", wire -> with(wire, "sb-claim-length", "10"));
        attacks.put("no length", wire -> with(wire, "sb-claim-length", null));
        attacks.put("no digest", wire -> with(wire, "sb-claim-sha256", null));
        attacks.put("digest in upper case", wire -> with(wire, "sb-claim-sha256", digest.toUpperCase(Locale.ROOT)));
        attacks.put("no claim", wire -> with(wire, "sb-claim", null));
        attacks.put("a body besides", LargeMessagesTest::withABodyBesides);
        attacks.forEach((what, attack) -> {
            onTheWire = attack;
            int poison = broker.depth(POISON);
            scanner.bunny().publish(new Scanned(TEXT));
            assertThat(broker.depth(POISON)).as(what).isEqualTo(poison + 1);
        });

        assertThat(bodies.opened()).isEqualTo(before);
        assertThat(handled).hasSize(1);
        assertThat(broker.messages(POISON))
                .extracting(message -> message.headers().get("sb-poison-reason"))
                .containsOnly("invalid-claim");
    }

    /** As while a version is rolled out that knows one more store. */
    @Test
    void anUnknownStoreIsLookedForWithTheDelayedRetriesAndNothingIsRead() {
        archive();
        onTheWire = wire -> with(
                wire,
                "sb-claim",
                "s3:" + wire.messageId() + "-" + wire.headers().get("sb-claim-sha256"));
        scanner().bunny().publish(new Scanned(TEXT));
        assertThat(broker.depth(POISON)).isZero();
        timeline.advance(Duration.ofMinutes(3));

        assertThat(bodies.opened()).isZero();
        assertThat(handled).isEmpty();
        assertThat(poison().headers()).containsEntry("sb-poison-reason", "claim-missing");
        assertThat(String.valueOf(poison().headers().get("x-exception-message")))
                .contains("Unknown body store [store=s3]");
    }

    @Test
    void oneThatIsTooLongIsNotFetched() {
        archive();
        onTheWire = wire -> with(wire, "sb-claim-length", 1_000_001L);
        scanner().bunny().publish(new Scanned(TEXT));

        assertThat(bodies.opened()).isZero();
        assertThat(poison().headers()).containsEntry("sb-poison-reason", "too-large");
    }

    @Test
    void anotherLengthIsAnotherBody() {
        archive();
        SafeBunnyEngine scanner = scanner();
        for (long by : new long[] {-1, 1}) {
            onTheWire = wire -> with(wire, "sb-claim-length", length(wire) + by);
            scanner.bunny().publish(new Scanned(TEXT));
        }

        assertThat(handled).isEmpty();
        assertThat(broker.messages(POISON))
                .extracting(message -> message.headers().get("sb-poison-reason"))
                .containsExactly("invalid-claim", "invalid-claim");
    }

    @Test
    void aDamagedBodyIsNotParsed() {
        archive();
        onTheWire = wire -> {
            bodies.damage();
            return wire;
        };
        scanner().bunny().publish(new Scanned(TEXT));

        assertThat(handled).isEmpty();
        assertThat(poison().headers()).containsEntry("sb-poison-reason", "invalid-claim");
        assertThat(String.valueOf(poison().headers().get("x-exception-message")))
                .contains("changed or damaged");
    }

    @Test
    void oneThatIsNotThereYetIsWaitedForWithDelayedRetries() {
        archive();
        onTheWire = wire -> {
            bodies.clear();
            return wire;
        };
        scanner().bunny().publish(new Scanned(TEXT));
        assertThat(broker.depth(POISON)).isZero();

        timeline.advance(Duration.ofMinutes(3));
        assertThat(poison().headers()).containsEntry("sb-poison-reason", "claim-missing");
        assertThat(sent)
                .extracting(message -> message.headers().get("sb-attempt"))
                .startsWith(0, 1, 2);
        assertThat(handled).isEmpty();
    }

    @Test
    void oneThatComesLaterIsHandled() {
        archive();
        onTheWire = wire -> {
            bodies.clear();
            return wire;
        };
        SafeBunnyEngine scanner = scanner();
        scanner.bunny().publish(new Scanned(TEXT), PublishOptions.none().withIdempotencyKey("one"));
        onTheWire = UnaryOperator.identity();
        scanner.bunny().publish(new Scanned(TEXT), PublishOptions.none().withIdempotencyKey("one")); // puts it again
        timeline.advance(Duration.ofMinutes(3));

        assertThat(handled).containsExactly(new Scanned(TEXT));
        assertThat(broker.depth(POISON)).isZero();
    }

    @Test
    void aStoreThatIsAwayForFiveMinutesCostsNothing() {
        archive();
        SafeBunnyEngine scanner = scanner();
        List<Change> changes = new ArrayList<>();
        CircuitBreakers breaker = Objects.requireNonNull(breakers.get("archive"));
        breaker.addListener(changes::add);
        onTheWire = wire -> {
            bodies.goAway();
            return wire;
        };
        Instant since = timeline.now();
        scanner.bunny().publish(new Scanned(TEXT));
        timeline.advance(Duration.ofMinutes(5));

        assertThat(handled).isEmpty();
        assertThat(breaker.statuses()).hasEntrySatisfying("Scanned", status -> {
            assertThat(status.withoutBodiesSince()).isEqualTo(since);
            assertThat(status.withoutKeysSince()).isNull();
        });
        assertThat(NodeCondition.breakers(breaker.statuses()).words())
                .contains("Scanned (since " + since, "bodies are away: The body store of this test is away");
        assertThatExceptionOfType(BodyStoreUnavailableException.class)
                .isThrownBy(() -> scanner.bunny().publish(new Scanned(TEXT)));

        bodies.comeBack();
        timeline.advance(Duration.ofSeconds(5));
        assertThat(handled).containsExactly(new Scanned(TEXT));
        assertThat(sent)
                .extracting(message -> message.headers().get("sb-attempt"))
                .containsOnly(0);
        assertThat(broker.depth(POISON)).isZero();
        assertThat(changes).last().satisfies(change -> {
            assertThat(change.to()).isEqualTo(State.CLOSED);
            assertThat(change.reason()).startsWith("a message could be read again");
        });
    }

    @Test
    void aStoreThatFailsInAnyWayIsAway() {
        BodyStore broken = new BodyStore() {
            @Override
            public String name() {
                return "broken";
            }

            @Override
            public void put(BodyReference reference, byte[] body) throws IOException {
                throw new IOException("disk full");
            }

            @Override
            public InputStream open(BodyReference reference) {
                throw new IllegalStateException("closed");
            }

            @Override
            public int deleteOlderThan(Instant limit, int most) {
                return 0;
            }
        };
        SafeBunnyEngine scanner = node("scanner", new Codecs(List.of(), null, compression, claimCheck(broken)));

        assertThatExceptionOfType(BodyStoreUnavailableException.class)
                .isThrownBy(() -> scanner.bunny().publish(new Scanned(TEXT)))
                .withMessageContaining("broken")
                .withMessageContaining("IOException")
                .withMessageNotContaining("disk full");
        assertThat(sent).isEmpty();
    }

    @Test
    void aHandlerThatCannotPutABodyComesBackAtNoCost() {
        SafeBunnyEngine[] archive = new SafeBunnyEngine[1];
        handler = message -> {
            handled.add(message);
            archive[0].bunny().publish(new Scanned(TEXT));
        };
        archive[0] = archive();
        bodies.goAway();
        scanner().bunny().publish(new Scanned("short"));
        timeline.advance(Duration.ofMinutes(1));
        int tries = handled.size();
        bodies.comeBack();
        timeline.advance(Duration.ofSeconds(5));

        assertThat(tries).isGreaterThan(1);
        assertThat(handled).hasSize(tries + 1);
        assertThat(sent)
                .extracting(message -> message.headers().get("sb-attempt"))
                .containsOnly(0);
        assertThat(sent.get(sent.size() - 1).headers()).containsKey("sb-claim");
        assertThat(broker.depth(POISON)).isZero();
    }

    @Test
    void aNodeWithoutTheModuleSaysWhatToAdd() {
        node("archive", Codecs.none(), definition("Scanned", Scanned.class, "scanner"));
        scanner().bunny().publish(new Scanned(TEXT));
        timeline.advance(Duration.ofMinutes(3));

        assertThat(poison().headers()).containsEntry("sb-poison-reason", "claim-missing");
        assertThat(String.valueOf(poison().headers().get("x-exception-message")))
                .contains("safebunny-claimcheck");
        assertThat(bodies.opened()).isZero();
    }

    @Test
    void whileTheModuleIsRolledOutMessagesWaitForAnInstanceThatHasIt() {
        SafeBunnyEngine before = node("archive", Codecs.none(), definition("Scanned", Scanned.class, "scanner"));
        scanner().bunny().publish(new Scanned(TEXT));
        assertThat(handled).isEmpty();
        before.stop(Duration.ofSeconds(1));
        archive();
        timeline.advance(Duration.ofMinutes(3));

        assertThat(handled).containsExactly(new Scanned(TEXT));
        assertThat(broker.depth(POISON)).isZero();
    }

    @Test
    void copiesCarryTheReferenceAndOnlyHandlersFetch() {
        handler = message -> {
            throw new IllegalStateException("not yet");
        };
        archive();
        scanner().bunny().publish(new Scanned(TEXT), PublishOptions.none().withDelay(Duration.ofHours(1)));
        assertThat(bodies.opened()).isZero();
        timeline.advance(Duration.ofHours(1));
        handler = handled::add;
        timeline.advance(Duration.ofMinutes(3));

        assertThat(handled).containsExactly(new Scanned(TEXT));
        assertThat(bodies.opened()).isEqualTo(2);
        assertThat(bodies.puts()).isEqualTo(1);
        assertThat(sent).allSatisfy(wire -> {
            assertThat(wire.body()).isEmpty();
            assertThat(wire.headers()).containsKeys("sb-claim", "sb-claim-sha256", "sb-claim-length");
        });
    }

    @Test
    void aMessageThatOutlivesItsBodyIsRefused() {
        archive();
        SafeBunnyEngine scanner = scanner();

        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> scanner.bunny()
                        .publish(new Scanned(TEXT), PublishOptions.none().withDelay(LONGEST_WAIT.plusHours(1))))
                .withMessageContaining("safebunny.claim-check.retention");
        assertThat(bodies.puts()).isZero();
        scanner.bunny().publish(new Scanned(TEXT), PublishOptions.none().withDelay(LONGEST_WAIT.minusHours(1)));
        assertThat(bodies.puts()).isEqualTo(1);
    }

    @Test
    void aScheduledMessageIsNotMovedToATimeForWhichItsBodyIsNotKept() {
        archive();
        schedules = true;
        ScheduledMessages scheduled = scanner().get(ScheduledMessages.class);
        String handle =
                scheduled.schedule(new Scanned(TEXT), PublishOptions.none().withDelay(Duration.ofHours(2)));
        Instant due = timeline.now().plus(Duration.ofHours(2));
        timeline.advance(Duration.ofSeconds(1));

        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> scheduled.move(handle, due.plus(Duration.ofDays(200))))
                .withMessageContaining("its body is kept in a body store");
        assertThat(scheduled.move(handle, due.minus(Duration.ofHours(1)))).isTrue();
        timeline.advance(Duration.ofMinutes(61));
        assertThat(handled).containsExactly(new Scanned(TEXT));
    }

    @Test
    void copiesWithOtherBodiesUnderOneIdAreToldApart() {
        SafeBunnyEngine scanner = scanner();
        archive();
        for (String text : List.of(TEXT, TEXT, TEXT + "!")) {
            scanner.bunny().publish(new Scanned(text), PublishOptions.none().withIdempotencyKey("one"));
        }

        assertThat(sent.get(2).messageId()).isEqualTo(sent.get(0).messageId());
        assertThat(PoisonDigest.of(sent.get(1))).isEqualTo(PoisonDigest.of(sent.get(0)));
        assertThat(PoisonDigest.of(sent.get(2))).isNotEqualTo(PoisonDigest.of(sent.get(0)));
    }

    @Test
    void aPoisonMessageShowsItsBodyOrSaysWhyItCannot() {
        handler = message -> {
            throw new IllegalArgumentException("never");
        };
        SafeBunnyEngine archive = archive();
        scanner().bunny().publish(new Scanned(TEXT));
        timeline.advance(Duration.ofMinutes(3));
        String id = String.valueOf(poison().messageId());
        PoisonMessages messages = archive.get(PoisonMessages.class);
        PoisonCopy shown = messages.find(id, 1_000_000).get(0);
        assertThat(shown.message().bodyBytes()).isGreaterThan(TEXT.length());
        assertThat(new String(Objects.requireNonNull(shown.body()), StandardCharsets.UTF_8))
                .contains(TEXT);

        bodies.clear();
        PoisonCopy missing = messages.find(id, 1_000_000).get(0);
        assertThat(missing.message().bodyBytes()).isGreaterThan(TEXT.length());
        assertThat(missing.body()).isEmpty();
        assertThat(missing.message().explanation()).contains("claim-missing");
        assertThat(missing.message().verdict()).as("it can be discarded").isEqualTo(Verdict.REFUSED);
    }

    @Test
    void oldBodiesAreDeletedOnceAnHour() {
        BodySweep sweep = new BodySweep(bodies, Duration.ofDays(100), timeline, new BodyMeters(meters), Runnable::run);
        sweep.start();
        archive();
        SafeBunnyEngine scanner = scanner();
        scanner.bunny().publish(new Scanned(TEXT));
        timeline.advance(Duration.ofDays(99));
        scanner.bunny().publish(new Scanned(TEXT));
        timeline.advance(Duration.ofHours(23));
        assertThat(bodies.size()).isEqualTo(2);

        bodies.goAway();
        timeline.advance(Duration.ofHours(2));
        bodies.comeBack();
        timeline.advance(BodySweep.INTERVAL);
        assertThat(bodies.size()).isEqualTo(1);
        assertThat(meters.counter("safebunny.claim", "store", "memory", "outcome", "deleted")
                        .count())
                .isEqualTo(1);
        sweep.stop();
        timeline.advance(Duration.ofDays(200));
        assertThat(bodies.size()).isEqualTo(1);
    }
}
