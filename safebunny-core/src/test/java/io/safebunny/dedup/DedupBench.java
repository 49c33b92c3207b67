// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.Bunny;
import io.safebunny.Published;
import io.safebunny.concurrency.Turns.Hold;
import io.safebunny.dedup.claim.Claim;
import io.safebunny.dedup.claim.Claim.Completion;
import io.safebunny.dedup.claim.Claim.NotWritten;
import io.safebunny.dedup.claim.Claim.Overtaken;
import io.safebunny.dedup.claim.Claim.Written;
import io.safebunny.dedup.claim.Claimed;
import io.safebunny.dedup.claim.Claimed.Busy;
import io.safebunny.dedup.claim.Claimed.Done;
import io.safebunny.dedup.claim.Claimed.Ours;
import io.safebunny.dedup.claim.Claimed.SetAside;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.policy.Ending;
import io.safebunny.failure.policy.Ending.Failed;
import io.safebunny.failure.policy.Ending.Returned;
import io.safebunny.failure.policy.FailedAttempt;
import io.safebunny.failure.policy.FailedAttempt.Age;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.UnreliableStore;
import io.safebunny.fixture.Wires;
import io.safebunny.handling.Handling;
import io.safebunny.handling.Run;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.Envelope;
import io.safebunny.node.Node;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.time.Timeline;
import io.safebunny.transport.Transport;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Instances of one node over one store, in a time that passes only when told to. */
public final class DedupBench {

    public static final Duration RETENTION = Duration.ofDays(7);
    public static final Duration LEASE = Duration.ofSeconds(30);
    public static final int TAKEOVER_LIMIT = 5;
    public static final Envelope MESSAGE = Wires.orderPlaced().envelope();
    public static final RecordKey KEY = new RecordKey(MESSAGE.correlationId(), MESSAGE.id());

    public final VirtualTimeline timeline = VirtualTimeline.skipping();
    public final RecordingTransport transport = new RecordingTransport();
    public final UnreliableStore store = new UnreliableStore(new MemoryMessageStore(timeline, RETENTION));
    public final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    /** Attempts of handlers that ran, by the number their context shows. */
    public final List<Integer> runs = Collections.synchronizedList(new ArrayList<>());

    private final RecoveryPolicy policy =
            RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.of(2, Duration.ofSeconds(10)));
    private final Node node = node(store, transport, timeline, Runnable::run, new SimpleMeterRegistry(), LEASE);
    public final Bunny bunny = node.publisher();
    public final Deduplication instance = instance();

    /** Handles a message. */
    @FunctionalInterface
    public interface Handler {
        void handle(Handling handling) throws Exception;
    }

    public Deduplication instance() {
        return instance(LEASE);
    }

    public Deduplication instance(Duration lease) {
        return instance(store, Runnable::run, lease);
    }

    /** @param waiting what it waits on, where the time of the bench would skip what is waited for */
    public Deduplication instance(Timeline waiting, Duration lease) {
        return new Deduplication(node(store, transport, waiting, Runnable::run, meters, lease));
    }

    /** @param blocking runs what waits for the store */
    public Deduplication instance(MessageStore other, Executor blocking, Duration lease) {
        return new Deduplication(node(other, transport, timeline, blocking, meters, lease));
    }

    /** To whose events nobody listens. */
    public Node node(MessageStore other) {
        return node(other, transport, timeline, Runnable::run, meters, LEASE);
    }

    public static Node node(
            MessageStore store,
            Transport transport,
            Timeline timeline,
            Executor blocking,
            MeterRegistry meters,
            Duration lease) {
        SafeBunnyOptions options = SafeBunnyOptions.of("billing");
        return new Node(SafeBunnyParts.builder(
                        options.withMaxMessageSize(1_000)
                                .withPublishTimeout(Duration.ofSeconds(5))
                                .withLease(lease)
                                .withRetention(RETENTION)
                                .withTopology(options.topology().withDeliveryLimit(TAKEOVER_LIMIT)),
                        transport,
                        timeline)
                .store(store)
                .callbacks(blocking)
                .meterRegistry(meters)
                .build());
    }

    public Deduplication over(MessageStore other) {
        return instance(other, Runnable::run, LEASE);
    }

    /** Another message of the same saga. */
    public static Envelope another(int number) {
        return Wires.orderPlaced().with("message_id", "another-" + number).envelope();
    }

    public void deliver(Handler handler) throws Exception {
        deliver(instance, MESSAGE, handler);
    }

    /** What somebody moves whose poison copy has this version. */
    public void replay(long poisonVersion, Handler handler) throws Exception {
        Wires replay =
                Wires.orderPlaced().withHeader("sb-poisoned-at", 1).withHeader("sb-poison-version", poisonVersion);
        deliver(instance, replay.envelope(), handler);
    }

    public void replay(Handler handler) throws Exception {
        replay(stored().version(), handler);
    }

    /** As many as the policy allows. */
    public void poison() {
        for (int attempt = 0; attempt < 3; attempt++) {
            Envelope delivery = MESSAGE.atAttempt(attempt);
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> deliver(instance, delivery, execution -> {
                        throw new IOException("failed");
                    }));
        }
        runs.clear();
    }

    public void deliver(Deduplication to, Envelope message, Handler handler) throws Exception {
        Handling handling = new Handling(node.current(), message);
        Ending ending = handle(
                to,
                handling,
                failure ->
                        policy.end(new FailedAttempt(failure, handling.message().attempt(), true, Age.UNLIMITED, 0)),
                execution -> execution.attempt(() -> {
                    runs.add(handling.message().attempt());
                    handler.handle(execution);
                }));
        requireNoFailure(ending);
    }

    /** As the consume pipeline does it, without what surrounds that. */
    public static Ending handle(
            Deduplication to, Handling handling, Function<Throwable, Failed> policy, Handler handler) {
        Claimed claimed = to.claim(handling);
        if (claimed instanceof Busy busy) {
            return Returned.because(busy.why());
        }
        if (claimed instanceof SetAside setAside) {
            return setAside.ending();
        }
        if (claimed instanceof Done done) {
            return sent(to, done.record(), Ending.DUPLICATE);
        }
        Completion completion;
        try (Claim claim = ((Ours) claimed).claim()) {
            completion = run(claim, handling, handler);
            if (completion instanceof NotWritten failed) {
                return claim.release(failed.failure(), policy.apply(failed.failure()));
            }
        }
        return sent(to, ((Written) completion).toSend(), Ending.HANDLED);
    }

    private static Completion run(Claim claim, Handling handling, Handler handler) {
        try {
            Completion completion = runAndComplete(claim, handling, handler);
            while (completion instanceof Overtaken) {
                handling.startAgain();
                completion = runAndComplete(claim, handling, handler);
            }
            return completion;
        } catch (Throwable failure) {
            return new NotWritten(failure);
        }
    }

    private static Completion runAndComplete(Claim claim, Handling handling, Handler handler) {
        Run run = Run.of(handling, () -> {
            try (Hold unused = claim.enter()) {
                handling.run(claim, () -> handler.handle(handling));
            }
        });
        return run.failure() == null ? claim.complete(run) : new NotWritten(run.failure());
    }

    private static Ending sent(Deduplication to, @Nullable MessageRecord record, Ending ending) {
        NotHandledException unsent = record == null ? null : to.send(record);
        return unsent == null ? ending : Returned.because(unsent);
    }

    public static void requireNoFailure(Ending ending) throws Exception {
        if (ending instanceof Failed failed) {
            if (failed.failure() instanceof Error error) {
                throw error;
            }
            throw (Exception) failed.failure();
        }
    }

    /** The process ends within the handler: nothing of what follows it happens. */
    public void crash(Deduplication instance, Handler handler) {
        store.down(false);
        try {
            deliver(instance, MESSAGE, execution -> {
                handler.handle(execution);
                store.down(true);
                throw new ThreadDeath();
            });
        } catch (Exception e) {
            throw new AssertionError("expected to end in the handler", e);
        } catch (ThreadDeath e) {
            store.down(false);
        }
    }

    public void publish() {
        Published unused = bunny.publish(new PaymentCaptured("o-1"));
    }

    public MessageRecord stored() {
        return Objects.requireNonNull(store.find(KEY));
    }

    public double counted(String outcome) {
        return meters.counter("safebunny.dedup", "type", "OrderPlaced", "outcome", outcome)
                .count();
    }
}
