// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.repair;

import io.safebunny.proof.demo.repair.PoisonCopies.Copy;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.saga.Sagas;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * An operator who checks the sagas now and then and repairs each that cannot go on, sometimes in one way, sometimes in another. Gives a saga up after some attempts. Used by one thread.
 */
public final class RepairDesk implements AutoCloseable {

    /** In the message of an exception: trying again is of no use. */
    public static final String BEYOND_REPAIR = "beyond repair";

    private static final Logger LOG = LoggerFactory.getLogger(RepairDesk.class);

    private static final String STUCK_TOO = "saga-stuck";
    private static final int AT_ONCE = 200;
    private static final int MOST_REPAIRS = 15;
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(500);
    private static final Duration BETWEEN_REPAIRS = Duration.ofSeconds(2);
    /** How long an active saga may be silent before somebody asks. */
    private static final Duration SILENCE = Duration.ofSeconds(10);

    private final Sagas sagas;
    private final HandWork hand;
    private final PoisonCopies poison;
    private final SplittableRandom random;
    private final Map<String, Case> cases = new HashMap<>();
    private final Map<String, Integer> replays = new HashMap<>();
    private final Set<String> byHand = new HashSet<>();
    private long lookedAt = System.nanoTime() - BETWEEN_LOOKS.toNanos();
    private long repairs;

    /** What was done for a saga. */
    private static final class Case {
        private long at;
        private int repairs;
    }

    /** @param nodes whose poison queues are read */
    public RepairDesk(Sagas sagas, Transport transport, Collection<String> nodes, HandWork hand, long seed) {
        this.sagas = sagas;
        this.hand = hand;
        this.poison = new PoisonCopies(transport, nodes);
        this.random = new SplittableRandom(seed);
    }

    /** Repairs and replays so far. */
    public long repairs() {
        return repairs;
    }

    /** Runs one round, unless the last one has just ended. Failures are logged: the next round is another attempt. */
    public void look() {
        if (System.nanoTime() - lookedAt < BETWEEN_LOOKS.toNanos()) {
            return;
        }
        try {
            for (SagaStatus status : List.of(SagaStatus.STUCK, SagaStatus.COMPENSATION_FAILED)) {
                for (SagaView saga : sagas.list(null, status, Duration.ZERO, AT_ONCE)) {
                    repair(saga);
                }
            }
            for (SagaView saga : sagas.list(null, SagaStatus.ACTIVE, BETWEEN_REPAIRS, AT_ONCE)) {
                repair(saga);
            }
            replayWhatIsLeft();
        } catch (Exception e) {
            LOG.warn("Sagas cannot be repaired now; trying again later", e);
        }
        lookedAt = System.nanoTime();
    }

    private void repair(SagaView saga) throws Exception {
        Case known = cases.computeIfAbsent(saga.id(), id -> new Case());
        boolean waits = known.repairs > 0 && System.nanoTime() - known.at < BETWEEN_REPAIRS.toNanos();
        if (waits || known.repairs >= MOST_REPAIRS) {
            return;
        }
        boolean done =
                switch (saga.status()) {
                    case STUCK -> unstick(saga);
                    case COMPENSATION_FAILED -> undo(saga);
                    default -> goOn(saga);
                };
        if (done) {
            known.at = System.nanoTime();
            known.repairs++;
            repairs++;
        }
    }

    private boolean unstick(SagaView saga) throws Exception {
        List<Copy> copies = poison.matching(
                copy -> copy.sagaId().equals(saga.id()) && !copy.reason().equals(STUCK_TOO));
        boolean hopeless = copies.stream().anyMatch(copy -> poison.isBeyondRepair(copy.messageId()));
        switch (hopeless ? random.nextInt(1, 3) : random.nextInt(3)) {
            case 0 -> {
                if (copies.isEmpty()) {
                    return false; // on its way to the poison queue
                }
                for (Copy copy : copies) {
                    replay(copy);
                }
            }
            case 1 -> {
                sagas.patch(
                        saga.saga(), saga.id(), saga.version(), saga.state(), "as it was, to see whether it is right");
                sagas.resume(saga.saga(), saga.id(), "goes on without the message");
            }
            default -> sagas.fail(saga.saga(), saga.id(), "given up: it was stuck");
        }
        return true;
    }

    private boolean undo(SagaView saga) throws Exception {
        Optional<SagaView.Step> undoing = saga.steps().stream()
                .filter(step -> step.status() == StepStatus.UNDOING)
                .findFirst();
        List<Copy> copies = undoing.isEmpty()
                ? List.of()
                : poison.matching(copy -> copy.sagaId().equals(saga.id())
                        && copy.type().equals(undoing.get().undo()));
        if (undoing.isPresent() && copies.stream().anyMatch(copy -> poison.isBeyondRepair(copy.messageId()))) {
            SagaView.Step step = undoing.get();
            if (byHand.add(saga.id() + ' ' + step.name())) { // once, however long the saga takes to hear of it
                hand.undo(orderOf(saga), String.valueOf(step.undo()));
            }
            sagas.skip(saga.saga(), saga.id(), step.name(), "undone by hand");
            return true;
        }
        switch (random.nextInt(3)) {
            case 0 -> sagas.retry(saga.saga(), saga.id(), "once more");
            case 1 -> sagas.resume(saga.saga(), saga.id(), "once more");
            default -> {
                if (copies.isEmpty()) {
                    return false;
                }
                replay(copies.get(copies.size() - 1));
            }
        }
        return true;
    }

    /** An active saga that is blocked, or that makes no progress. */
    private boolean goOn(SagaView saga) throws Exception {
        if (saga.blockedOn().isEmpty()) {
            boolean waits = !saga.timeouts().isEmpty()
                    || saga.changedAt().isAfter(Instant.now().minus(SILENCE));
            if (!waits) {
                sagas.fail(saga.saga(), saga.id(), "given up: nothing happened any more");
            }
            return !waits;
        }
        String message = saga.blockedOn().get(0).messageId();
        if (poison.isBeyondRepair(message)) {
            sagas.fail(saga.saga(), saga.id(), "given up: a command cannot be carried out");
            return true;
        }
        List<Copy> copies = poison.matching(copy -> copy.messageId().equals(message));
        if (copies.isEmpty() || random.nextBoolean()) {
            sagas.retry(saga.saga(), saga.id(), "once more");
        } else {
            replay(copies.get(copies.size() - 1));
        }
        return true;
    }

    /**
     * What was set aside because its saga was stuck, what should have started a saga, and, to see that it changes nothing, commands of sagas
     * that have failed.
     */
    private void replayWhatIsLeft() throws Exception {
        for (Copy copy : poison.matching(copy -> replays.getOrDefault(copy.messageId(), 0) < MOST_REPAIRS)) {
            List<SagaView> of = sagas.find(copy.sagaId());
            boolean stuckNoMore =
                    copy.reason().equals(STUCK_TOO) && of.stream().noneMatch(saga -> saga.status() == SagaStatus.STUCK);
            boolean notStarted = of.isEmpty() && !poison.isBeyondRepair(copy.messageId());
            boolean undone = of.stream()
                    .anyMatch(saga -> saga.status() == SagaStatus.FAILED
                            && saga.steps().stream()
                                    .anyMatch(step -> step.messageId().equals(copy.messageId())
                                            && step.status() == StepStatus.UNDONE));
            if (stuckNoMore || notStarted || undone) {
                replay(copy);
            }
        }
    }

    private void replay(Copy copy) throws Exception {
        poison.replay(copy);
        replays.merge(copy.messageId(), 1, Integer::sum);
    }

    private static String orderOf(SagaView saga) {
        return JsonMapper.shared().readTree(saga.state()).get("orderId").asString();
    }

    @Override
    public void close() {
        poison.close();
    }
}
