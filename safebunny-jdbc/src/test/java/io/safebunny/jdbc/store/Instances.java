// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.concurrency.Turns.Hold;
import io.safebunny.dedup.Deduplication;
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
import io.safebunny.failure.policy.Ending;
import io.safebunny.failure.policy.Ending.Failed;
import io.safebunny.failure.policy.Ending.Returned;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.handling.Handling;
import io.safebunny.handling.Run;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.message.Envelope;
import io.safebunny.message.EnvelopeReader;
import io.safebunny.message.WireMessage;
import io.safebunny.node.Node;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.time.Timeline;
import io.safebunny.topology.TopologyOptions;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** Instances of a node that handle messages over a database, without a broker from which they would come. */
final class Instances {

    private Instances() {}

    static TransactionalJdbcMessageStore store(DataSource pool, JdbcStoreOptions options) {
        return new TransactionalJdbcMessageStore(pool, new JdbcTransactionManager(pool), options);
    }

    /** @param deliveryLimit how often a message may begin that never ends */
    static Deduplication over(MessageStore store, Timeline timeline, int deliveryLimit) {
        SafeBunnyOptions options = SafeBunnyOptions.of("billing");
        return new Deduplication(new Node(SafeBunnyParts.builder(
                        options.withTopology(options.topology().withDeliveryLimit(deliveryLimit)),
                        new MemoryTransport(new MemoryBroker(timeline, Runnable::run), TopologyOptions.defaults()),
                        timeline)
                .store(store)
                .callbacks(Runnable::run)
                .build()));
    }

    /** From elsewhere, and the first of its saga. */
    static Envelope message() {
        return EnvelopeReader.read(new WireMessage(
                "id",
                UUID.randomUUID().toString(),
                "Order",
                null,
                null,
                null,
                null,
                Map.of(),
                "{}".getBytes(StandardCharsets.UTF_8)));
    }

    /** What a handler does in one run. */
    @FunctionalInterface
    interface Handler {
        void handle(Handling handling) throws Exception;
    }

    /**
     * As the consume pipeline does it, without what surrounds that.
     *
     * @param policy how the delivery ends if it fails
     * @throws Exception why it did not end well
     */
    static void deliver(Deduplication to, Handling handling, Function<Throwable, Failed> policy, Handler handler)
            throws Exception {
        if (end(to, handling, policy, handler) instanceof Failed failed) {
            throw (Exception) failed.failure();
        }
    }

    private static Ending end(
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
}
