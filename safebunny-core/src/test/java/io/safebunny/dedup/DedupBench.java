// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.Bunny;
import io.safebunny.Published;
import io.safebunny.dedup.Claim.Completion;
import io.safebunny.dedup.Claim.NotWritten;
import io.safebunny.dedup.Claim.Overtaken;
import io.safebunny.dedup.Claim.Written;
import io.safebunny.dedup.Claimed.Busy;
import io.safebunny.dedup.Claimed.Done;
import io.safebunny.dedup.Claimed.Ours;
import io.safebunny.dedup.Claimed.SetAside;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.ExceptionDetails;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.Unheard;
import io.safebunny.fixture.UnreliableStore;
import io.safebunny.fixture.Wires;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.handling.Handling;
import io.safebunny.handling.MessageScope;
import io.safebunny.identity.LineageIdScheme;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.Envelope;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.Metrics;
import io.safebunny.observation.Observations;
import io.safebunny.publishing.AroundPublication;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.publishing.MessageFactory;
import io.safebunny.publishing.PipelineBunny;
import io.safebunny.publishing.PublishingOptions;
import io.safebunny.recovery.Ending;
import io.safebunny.recovery.Ending.Failed;
import io.safebunny.recovery.Ending.Returned;
import io.safebunny.recovery.FailedAttempt;
import io.safebunny.recovery.FailedAttempt.Age;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.recovery.RecoveryPolicy;
import io.safebunny.recovery.RetryStrategy;
import io.safebunny.serialization.json.JsonMessageSerializer;
import io.safebunny.store.MessageRecord;
import io.safebunny.store.MessageStore;
import io.safebunny.store.RecordKey;
import io.safebunny.time.Timeline;
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
final class DedupBench {

    static final Duration RETENTION = Duration.ofDays(7);
    static final Duration LEASE = Duration.ofSeconds(30);
    static final int TAKEOVER_LIMIT = 5;
    static final Envelope MESSAGE = Wires.orderPlaced().envelope();
    static final RecordKey KEY = new RecordKey(MESSAGE.correlationId(), MESSAGE.id());

    final VirtualTimeline timeline = VirtualTimeline.skipping();
    final RecordingTransport transport = new RecordingTransport();
    final UnreliableStore store = new UnreliableStore(new MemoryMessageStore(timeline, RETENTION));
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    /** Attempts of handlers that ran, by the number their context shows. */
    final List<Integer> runs = Collections.synchronizedList(new ArrayList<>());

    private final ConfirmedSender sender =
            new ConfirmedSender(transport, timeline, Runnable::run, Duration.ofSeconds(5), 1_000);
    private final RecoveryPolicy policy =
            RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.of(2, Duration.ofSeconds(10)));
    private final CurrentHandling current = new CurrentHandling();
    final Bunny bunny = new PipelineBunny(
            current,
            new MessageFactory(
                    new PublishingOptions("billing", 1_000, null),
                    new LineageIdScheme(),
                    new JsonMessageSerializer(),
                    timeline,
                    new Metrics(new SimpleMeterRegistry())),
            sender,
            null,
            new AroundPublication(
                    List.of(),
                    new MessageScope(),
                    Runnable::run,
                    Observations.none(),
                    new BoundedLog(timeline, ExceptionDetails.FULL)));
    final Deduplication instance = instance();

    /** Handles a message. */
    @FunctionalInterface
    interface Handler {
        void handle(Handling handling) throws Exception;
    }

    Deduplication instance() {
        return instance(LEASE);
    }

    Deduplication instance(Duration lease) {
        return instance(store, Runnable::run, lease);
    }

    /** @param waiting what it waits on, where the time of the bench would skip what is waited for */
    Deduplication instance(Timeline waiting, Duration lease) {
        return over(
                store,
                sender,
                waiting,
                Runnable::run,
                new Metrics(meters),
                new DedupOptions(lease, TAKEOVER_LIMIT, RETENTION));
    }

    /** @param blocking runs what waits for the store */
    Deduplication instance(MessageStore other, Executor blocking, Duration lease) {
        return over(
                other,
                sender,
                timeline,
                blocking,
                new Metrics(meters),
                new DedupOptions(lease, TAKEOVER_LIMIT, RETENTION));
    }

    /** To whose events nobody listens. */
    static Deduplication over(
            MessageStore store,
            ConfirmedSender sender,
            Timeline timeline,
            Executor blocking,
            Metrics metrics,
            DedupOptions options) {
        return new Deduplication(
                store,
                sender,
                timeline,
                blocking,
                metrics,
                Unheard.events(timeline),
                new BoundedLog(timeline, ExceptionDetails.FULL),
                options);
    }

    Deduplication over(MessageStore other) {
        return instance(other, Runnable::run, LEASE);
    }

    /** Another message of the same saga. */
    static Envelope another(int number) {
        return Wires.orderPlaced().with("message_id", "another-" + number).envelope();
    }

    void deliver(Handler handler) throws Exception {
        deliver(instance, MESSAGE, handler);
    }

    /** What somebody moves whose poison copy has this version. */
    void replay(long poisonVersion, Handler handler) throws Exception {
        Wires replay =
                Wires.orderPlaced().withHeader("sb-poisoned-at", 1).withHeader("sb-poison-version", poisonVersion);
        deliver(instance, replay.envelope(), handler);
    }

    void replay(Handler handler) throws Exception {
        replay(stored().version(), handler);
    }

    /** As many as the policy allows. */
    void poison() {
        for (int attempt = 0; attempt < 3; attempt++) {
            Envelope delivery = MESSAGE.atAttempt(attempt);
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> deliver(instance, delivery, execution -> {
                        throw new IOException("failed");
                    }));
        }
        runs.clear();
    }

    void deliver(Deduplication to, Envelope message, Handler handler) throws Exception {
        Handling handling = new Handling(current, message);
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
    static Ending handle(Deduplication to, Handling handling, Function<Throwable, Failed> policy, Handler handler) {
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
            Completion completion = claim.handle(() -> handler.handle(handling));
            while (completion instanceof Overtaken) {
                handling.startAgain();
                completion = claim.handle(() -> handler.handle(handling));
            }
            return completion;
        } catch (Throwable failure) {
            return new NotWritten(failure);
        }
    }

    private static Ending sent(Deduplication to, @Nullable MessageRecord record, Ending ending) {
        NotHandledException unsent = record == null ? null : to.send(record);
        return unsent == null ? ending : Returned.because(unsent);
    }

    static void requireNoFailure(Ending ending) throws Exception {
        if (ending instanceof Failed failed) {
            if (failed.failure() instanceof Error error) {
                throw error;
            }
            throw (Exception) failed.failure();
        }
    }

    /** The process ends within the handler: nothing of what follows it happens. */
    void crash(Deduplication instance, Handler handler) {
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

    void publish() {
        Published unused = bunny.publish(new PaymentCaptured("o-1"));
    }

    MessageRecord stored() {
        return Objects.requireNonNull(store.find(KEY));
    }

    double counted(String outcome) {
        return meters.counter("safebunny.dedup", "type", "OrderPlaced", "outcome", outcome)
                .count();
    }
}
