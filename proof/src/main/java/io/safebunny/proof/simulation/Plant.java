// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.simulation;

import io.safebunny.proof.model.FaultyStores;
import io.safebunny.proof.plant.Patch;
import io.safebunny.proof.simulation.story.Banks;
import io.safebunny.proof.simulation.story.Batched;
import io.safebunny.proof.simulation.story.Careless;
import io.safebunny.proof.simulation.story.Careless.Billing.Charge;
import io.safebunny.proof.simulation.story.Choreographed;
import io.safebunny.proof.simulation.story.Correlated;
import io.safebunny.proof.simulation.story.Counting;
import io.safebunny.proof.simulation.story.Deadlines;
import io.safebunny.proof.simulation.story.Forgotten;
import io.safebunny.proof.simulation.story.Grouped;
import io.safebunny.proof.simulation.story.Orchestrated;
import io.safebunny.proof.simulation.story.Pairs;
import io.safebunny.proof.simulation.story.Poisoned;
import io.safebunny.proof.simulation.story.Receipts;
import io.safebunny.proof.simulation.story.Reminders;
import io.safebunny.proof.simulation.story.Sequenced;
import io.safebunny.proof.simulation.story.Sharded;
import io.safebunny.store.MessageStore;
import io.safebunny.test.simulation.SimulatedNode;
import io.safebunny.test.simulation.SimulatedSystem;
import io.safebunny.time.Timeline;
import io.safebunny.transport.Transport;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A bug that a simulation must find. Immutable.
 *
 * @param sound the system without the bug, in which everything must hold
 * @param story the system with the bug, as far as that is not in the library
 * @param patch what is changed in the library; {@code null} for nothing
 */
record Plant(
        String name,
        Consumer<SimulatedSystem> sound,
        Consumer<SimulatedSystem> story,
        @Nullable Patch patch) {

    private static final String DEDUP = "io/safebunny/dedup/claim/";
    private static final String SEPARATE = DEDUP + "SeparateClaims.java";
    private static final String SHARED = "io/safebunny/dedup/transaction/SharedTransaction.java";
    /** What is written of those that leave their group. */
    private static final String LEAVES =
            "claims.forEach((handling, claim) -> {\n                if (!handled.containsKey(handling)) {\n                    MessageRecord unused";

    private static final String DRAINING = "io/safebunny/order/draining/LaneRunner.java";
    private static final String CONSUMING = "io/safebunny/consuming/Recoverer.java";

    static Optional<Plant> of(String name) {
        return all().stream().filter(plant -> plant.name().equals(name)).findFirst();
    }

    static List<Plant> all() {
        return List.of(
                // stores
                store("no-fence", Choreographed::moody, Sabotage::withoutFence),
                store("read-then-create", Choreographed::moody, Sabotage.ReadsThenCreates::new),
                store("lost-answer", Choreographed::delivered, Sabotage::losingAnswers),
                patch(
                        "expire-completed",
                        Choreographed::moody,
                        "io/safebunny/memory/MemoryMessageStore.java",
                        "        int removed = removeExpired(finished",
                        """
                                completed.keySet().forEach(records::remove);
                                completed.clear();
                                int removed = removeExpired(finished"""),
                // transports
                transport(
                        "ack-early", Choreographed::delivered, (wrapped, time) -> Sabotage.acknowledgingEarly(wrapped)),
                transport("confirm-early", Choreographed::delivered, Sabotage::confirmingEarly),
                transport("delay-early", Orchestrated::unpaid, (wrapped, time) -> Sabotage.delayingTooLittle(wrapped)),
                // the engine
                patch(
                        "no-sweeper",
                        Orchestrated::unpaid,
                        "io/safebunny/saga/management/SagaSupervision.java",
                        "            present.sweeps.start();",
                        ""),
                patch(
                        "send-before-complete",
                        Choreographed::moody,
                        "io/safebunny/consuming/MessageHandling.java",
                        "        return run.failure() == null ? claim.complete(run)",
                        """
                                run.publications().forEach(publication -> node.sender().send(publication).await());
                                return run.failure() == null ? claim.complete(run)"""),
                patch(
                        "early-takeover",
                        Choreographed::delivered,
                        DEDUP + "Ownership.java",
                        "if (remaining.toNanos() > 0) {",
                        "if (remaining.toNanos() > lease.toNanos()) {"),
                patch(
                        "trail-lost-at-takeover",
                        Choreographed::repaired,
                        DEDUP + "Ownership.java",
                        "        handling.continues(",
                        "        Object unused = ("),
                patch(
                        "trail-lost-by-the-mark",
                        Choreographed::repaired,
                        "io/safebunny/dedup/dispatch/Marks.java",
                        "MessageRecord mark = completed.dispatched();",
                        "MessageRecord mark = completed.dispatched().withTrail(io.safebunny.store.record.Trail.NONE);"),
                patch(
                        "attempt-on-busy",
                        Choreographed::delivered,
                        CONSUMING,
                        "backToQueue(delivery, message.envelope(), after)",
                        "backToQueue(delivery, message.envelope().atAttempt(message.attempt() + 1), after)"),
                patch(
                        "ordinals",
                        Receipts::declare,
                        "io/safebunny/handling/publications/Publications.java",
                        "            ordinals.clear();\n            ordinals.putAll(mark.ordinals);",
                        ""),
                patch(
                        "replay-header",
                        Choreographed::repaired,
                        CONSUMING,
                        "return new OutboundMessage(copy.message().withHeaders(headers), copy.route(), copy.delay());",
                        "return copy;"),
                // sagas
                stores("no-saga-version", Counting::declare, FaultyStores::withoutEtag),
                user("saga-without-record", Orchestrated::delivered, system -> {
                    Orchestrated.delivered(system);
                    system.storeClients((store, time) -> FaultyStores.inTwoWrites(store));
                }),
                patch(
                        "undo-forwards",
                        Orchestrated::late,
                        "io/safebunny/saga/execution/Compensation.java",
                        "for (int i = steps.size() - 1; i >= 0; i--) {",
                        "for (int i = 0; i < steps.size(); i++) {"),
                stores("no-undo-fence", Orchestrated::late, FaultyStores::withoutFence),
                patch(
                        "timeout-token",
                        Reminders::declare,
                        "io/safebunny/saga/execution/TimeoutInvoker.java",
                        "|| !isAwaited(visit.saga(), alarm, context.messageId())",
                        ""),
                patch(
                        "first-saga-undone",
                        Pairs::declare,
                        "io/safebunny/saga/execution/UndoneInvoker.java",
                        "if (visit != null && acknowledge(visit, undone)) {",
                        "if (visit != null) {\n                boolean unused = acknowledge(visit, undone);"),
                patch(
                        "untold-of-poison",
                        Poisoned::declare,
                        "io/safebunny/saga/execution/PoisonedInvoker.java",
                        "                visit.run(method, null, context, blockedOn);",
                        ""),
                patch(
                        "first-timeout-only",
                        Deadlines::declare,
                        "io/safebunny/saga/management/OverdueSagas.java",
                        "            if (timeout.wakesAt().isAfter(now)) {\n                continue;",
                        "            if (timeout.wakesAt().isAfter(now)) {\n                break;"),
                patch(
                        "fence-of-the-correlation-id",
                        Correlated::declare,
                        DEDUP + "UndoFence.java",
                        "new RecordKey(undo.key().correlationId(), step)",
                        "new RecordKey(undo.message().correlationId(), step)"),
                patch(
                        "expire-running-sagas",
                        Forgotten::declare,
                        "io/safebunny/memory/MemoryMessageStore.java",
                        "} else if (record.state().isFinal()) {",
                        "} else if (record.state().isFinal() || record.listing() != null) {"),
                patch(
                        "no-age-limit",
                        Forgotten::declare,
                        "io/safebunny/validation/AgeLimit.java",
                        "if (age.isExceededIn(Duration.ZERO)) {",
                        "if (age.isExceededIn(Duration.ofDays(-100))) {"),
                // messages that share transactions
                patch(
                        "group-charges-who-leaves",
                        Grouped::declare,
                        SHARED,
                        LEAVES,
                        LEAVES.replace("claim)", "first)")
                                .replace("if", "MessageRecord claim = first.withAttempt(1); if")),
                patch(
                        "group-keeps-claims-of-who-left",
                        Grouped::declare,
                        SHARED,
                        LEAVES,
                        LEAVES.replace("!handled.containsKey(handling)", "handled.isEmpty()")),
                patch("group-undoes-nothing", Grouped::declare, SHARED, "            transaction.returnToMark();", ""),
                patch(
                        "group-sends-before-its-commit",
                        Grouped::declare,
                        "io/safebunny/consuming/MessageHandling.java",
                        "    Throwable run(HandledMessage message, SharedClaims shared) {",
                        """
                            Throwable run(HandledMessage message, SharedClaims shared) {
                                Throwable left = runThere(message, shared);
                                Ending unused = sent(node.store().find(message.handling.key()), Ending.HANDLED);
                                return left;
                            }

                            @Nullable
                            Throwable runThere(HandledMessage message, SharedClaims shared) {
                        """),
                // batches
                patch(
                        "batch-charges-who-leaves",
                        Batched::declare,
                        SEPARATE,
                        "claim.release(why, Returned.because(why))",
                        "claim.release(why, io.safebunny.failure.policy.Ending.retried(Duration.ZERO, why))"),
                patch(
                        "batch-completes-who-leaves",
                        Batched::declare,
                        SEPARATE,
                        "                    release(claim);",
                        "                    Completion unused = complete(claim, each.getKey());"),
                patch(
                        "batch-keeps-claims-of-who-failed",
                        Batched::declare,
                        "io/safebunny/dedup/transaction/BatchTransaction.java",
                        "            end(transaction::rollback);",
                        "            end(transaction::commit);"),
                // messages in order
                patch(
                        "lane-not-locked",
                        Sequenced::read,
                        DEDUP + "Ownership.java",
                        "return turn != null && !turn.isStored() && !store.readsAreDecisive();",
                        "return false;"),
                patch(
                        "parked-before-the-head",
                        Sequenced::retried,
                        DEDUP + "RecordWrites.java",
                        "turn == null ? Stream.empty() : turn.whenFailed(ending, store::find, owner).stream();",
                        """
                                Stream.empty();
                        if (turn != null) {
                            List<MessageRecord> lane = turn.whenFailed(ending, store::find, owner);
                            if (!lane.isEmpty()) {
                                Object unused = store.writeTogether(lane);
                            }
                        }"""),
                patch(
                        "retry-to-the-end",
                        Sequenced::retried,
                        "io/safebunny/consuming/LaneTurns.java",
                        "this.terms = handler.ordering().isOrdered() && node.store() != null",
                        "this.terms = handler.ordering().isOrdered() && node.store() == null"),
                patch(
                        "drain-beside-the-head",
                        Sequenced::retried,
                        DRAINING,
                        "if (remaining.toNanos() > 0) { // another instance is at it",
                        "if (remaining.toNanos() > 0) { if (true) return passes(turn, false);"),
                patch(
                        "poison-holds-nobody",
                        Sequenced::held,
                        "io/safebunny/order/lane/LaneTurn.java",
                        "            if (terms.holds()) {",
                        "            if (terms.holds() && isStored) {"),
                patch(
                        "resize-before-drained",
                        Sharded::resized,
                        "io/safebunny/order/sharding/Gate.java",
                        "if (undrained.isEmpty()) {",
                        "if (!undrained.isEmpty()) {"),
                // users
                charging("user-no-once", node -> (order, context) -> node.perform("charge " + order), Runnable::run),
                charging(
                        "user-thread",
                        node -> (order, context) -> node.perform("charge " + order, context.messageId()),
                        Careless::inAnotherThread),
                charging(
                        "user-random-key",
                        node -> (order, context) -> node.perform(
                                "charge " + order, UUID.randomUUID().toString()),
                        Runnable::run),
                user(
                        "user-order",
                        Choreographed::delivered,
                        system -> Choreographed.delivered(
                                system,
                                node -> Choreographed.billing(system, node, Banks.good(node)),
                                node -> new Careless.Postman(Choreographed.ledger(system, node), system.effects()))),
                user(
                        "user-timeout-race",
                        Orchestrated::delivered,
                        system -> Orchestrated.delivered(system, node -> new Careless.OrderSaga(node.bunny()))));
    }

    private static Plant user(String name, Consumer<SimulatedSystem> sound, Consumer<SimulatedSystem> story) {
        return new Plant(name, sound, story, null);
    }

    private static Plant charging(String name, Function<SimulatedNode, Charge> charge, Consumer<Runnable> publishing) {
        return user(
                name,
                Choreographed::delivered,
                system -> Choreographed.delivered(
                        system,
                        node -> new Careless.Billing(
                                node, Choreographed.ledger(system, node), charge.apply(node), publishing)));
    }

    private static Plant store(String name, Consumer<SimulatedSystem> story, Function<Timeline, MessageStore> store) {
        return new Plant(name, story, story.andThen(system -> system.stores(store)), null);
    }

    private static Plant stores(
            String name, Consumer<SimulatedSystem> story, Function<MessageStore, MessageStore> store) {
        return store(name, story, timeline -> store.apply(Sabotage.sound(timeline)));
    }

    private static Plant transport(
            String name, Consumer<SimulatedSystem> story, BiFunction<Transport, Timeline, Transport> transport) {
        return new Plant(name, story, story.andThen(system -> system.transports(transport)), null);
    }

    private static Plant patch(
            String name, Consumer<SimulatedSystem> story, String source, String before, String after) {
        return new Plant(name, story, story, new Patch(name, source, before, after));
    }
}
