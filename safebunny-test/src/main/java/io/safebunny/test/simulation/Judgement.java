// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import io.safebunny.handler.HandlerDefinition;
import io.safebunny.message.Headers;
import io.safebunny.message.WireMessage;
import io.safebunny.order.lane.Lane;
import io.safebunny.saga.SagaView;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordState;
import io.safebunny.test.scheduler.DeterministicScheduler;
import io.safebunny.test.scheduler.StandstillException;
import io.safebunny.test.simulation.SimulatedSystem.Check;
import io.safebunny.test.simulation.run.Violation;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Runs a system to its end and checks the result. */
final class Judgement {

    /** Invariants of every system. */
    static final String ENDS = "everything comes to an end";

    static final String NOTHING_LOST = "each message is handled";
    static final String NOTHING_SET_ASIDE = "no message is set aside";
    static final String SAGAS_GO_ON = "no saga waits for a person";

    private static final int MOST_ROUNDS = 200;
    private static final int MOST_LINES = 5;
    private static final int LEASES_OF_A_TAKEOVER = 3;

    private final World world;
    private final DeterministicScheduler scheduler;
    private final Operator operator;

    Judgement(World world, DeterministicScheduler scheduler) {
        this.world = world;
        this.scheduler = scheduler;
        this.operator = new Operator(world);
    }

    @Nullable
    Violation judge() {
        try {
            Violation violation = goOn();
            if (violation == null && operator.isNeeded()) {
                violation = operator.repair(() -> {
                    scheduler.advance(World.LEASE);
                    return goOn();
                });
            }
            if (violation != null) {
                return violation;
            }
        } catch (StandstillException e) {
            return new Violation(ENDS, String.valueOf(e.getMessage()));
        }
        world.faults().end();
        Violation violation = setAside();
        if (violation == null) {
            violation = waitingSaga();
        }
        if (violation == null) {
            violation = check();
        }
        Duration retention = world.system().retention();
        return violation == null && retention != null ? afterwards(retention) : violation;
    }

    private @Nullable Violation afterwards(Duration retention) {
        try {
            return new Afterwards(world, scheduler).judge(retention, this::goOn);
        } catch (StandstillException e) {
            return new Violation(ENDS, String.valueOf(e.getMessage()));
        }
    }

    /** Runs until nothing can happen any more; returns the violation, if there is one. */
    private @Nullable Violation goOn() {
        for (int rounds = 0; !drained(); rounds++) {
            if (world.rules().broken() != null || rounds == MOST_ROUNDS) {
                return world.rules().broken() == null
                        ? unfinished()
                        : world.rules().broken();
            }
        }
        return world.rules().broken();
    }

    /**
     * Runs until idle, then advances the time if something is still to come.
     *
     * @return whether nothing can happen any more
     */
    private boolean drained() {
        scheduler.runUntilIdle();
        Duration next = earlier(scheduler.nextApplicationTimer(), world.untilNoticed());
        if (next != null) {
            advance(next);
            return false;
        }
        if (waiting() != null || unhandled() != null) {
            scheduler.advance(World.LEASE);
            return false;
        }
        return true;
    }

    private static @Nullable Duration earlier(@Nullable Duration one, @Nullable Duration other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return one.compareTo(other) < 0 ? one : other;
    }

    /** Advances the time. First in steps, until other processes would have taken over, because one long advance skips upkeep. */
    private void advance(Duration next) {
        Duration left = next;
        for (int leases = 0; leases < LEASES_OF_A_TAKEOVER && left.compareTo(World.LEASE) > 0; leases++) {
            scheduler.advance(World.LEASE);
            left = left.minus(World.LEASE);
        }
        scheduler.advance(left);
    }

    private Violation unfinished() {
        String waiting = waiting();
        String unhandled = unhandled();
        if (waiting == null && unhandled != null) {
            return new Violation(NOTHING_LOST, unhandled);
        }
        return new Violation(ENDS, waiting == null ? "the application wants something later again and again" : waiting);
    }

    private @Nullable String waiting() {
        for (Map.Entry<String, Instance> node : world.nodes().entrySet()) {
            for (HandlerDefinition handler : node.getValue().engine().handlers()) {
                String queue = handler.queue(node.getKey());
                if (world.broker().depth(queue) > 0) {
                    return "%s messages wait in %s".formatted(world.broker().depth(queue), queue);
                }
            }
        }
        return world.nodes().size() < world.system().nodes().size() ? "not all nodes run" : null;
    }

    private @Nullable String unhandled() {
        for (OutboundMessage message : world.published()) {
            WireMessage wire = message.message();
            for (Map.Entry<String, Instance> node : world.nodes().entrySet()) {
                if (handles(node.getValue(), wire)) {
                    MessageRecord record = world.find(node.getKey(), wire);
                    boolean isFinal = record == null
                            ? isForgotten(node.getKey(), wire)
                            : record.state().isFinal();
                    if (!isFinal
                            && !operator.isSetAside(node.getKey(), wire)
                            && !isHeldBack(node.getKey(), wire, record)) {
                        return "%s of %s, published by %s, at %s: %s"
                                .formatted(
                                        wire.type(),
                                        wire.correlationId(),
                                        wire.appId(),
                                        node.getKey(),
                                        whatIsStored(record));
                    }
                }
            }
        }
        return null;
    }

    /** Whether it waits for a decision on one with its order key that was set aside. */
    private boolean isHeldBack(String node, WireMessage message, @Nullable MessageRecord record) {
        if (record == null || record.state() != RecordState.PARKED) {
            return false;
        }
        Lane lane = world.lane(node, message);
        return lane.state() == Lane.State.HELD
                && operator.setAside(node).stream()
                        .anyMatch(copy -> String.valueOf(copy.messageId()).equals(lane.head()));
    }

    private boolean isForgotten(String node, WireMessage message) {
        return world.system().retention() != null && world.rules().hasEnded(node, message);
    }

    private static String whatIsStored(@Nullable MessageRecord record) {
        if (record == null) {
            return "there is no record of it";
        }
        if (record.state() != RecordState.COMPLETED) {
            return "its record is " + record.state();
        }
        return "it is handled, but the broker does not take all that it has published: %s. Does a node handle that?"
                .formatted(record.outgoing().stream()
                        .map(message -> message.message().type())
                        .distinct()
                        .toList());
    }

    /** Whether the node handles messages of this type from this publisher. */
    static boolean handles(Instance node, WireMessage message) {
        return node.engine().handlers().stream()
                .anyMatch(handler -> handler.type().equals(message.type())
                        && handler.from().contains(String.valueOf(message.appId())));
    }

    private @Nullable Violation setAside() {
        for (String node : world.nodes().keySet()) {
            for (WireMessage copy : operator.needed(node)) {
                return new Violation(
                        NOTHING_SET_ASIDE,
                        "%s of %s, at %s: %s, %s"
                                .formatted(
                                        copy.type(),
                                        copy.correlationId(),
                                        node,
                                        copy.headers().get(Headers.POISON_REASON),
                                        copy.headers().get(Headers.EXCEPTION_MESSAGE)));
            }
        }
        return null;
    }

    private @Nullable Violation waitingSaga() {
        for (Instance node : world.nodes().values()) {
            for (SagaView saga : node.sagasToRepair()) {
                return new Violation(
                        SAGAS_GO_ON,
                        "%s %s is %s: %s".formatted(saga.saga(), saga.id(), saga.status(), saga.history()));
            }
        }
        return null;
    }

    private @Nullable Violation check() {
        for (Map.Entry<String, Check> check : world.system().checks().entrySet()) {
            try {
                check.getValue().run();
            } catch (AssertionError e) {
                return new Violation(
                        check.getKey(), String.valueOf(e.getMessage()).strip());
            } catch (Exception e) {
                return new Violation(check.getKey(), describe(e));
            }
        }
        return null;
    }

    /** Describes an exception, with the first lines of its stack, because it was probably unexpected. */
    private static String describe(Exception e) {
        return Stream.concat(
                        Stream.of(e.toString()),
                        Arrays.stream(e.getStackTrace()).limit(MOST_LINES).map(line -> "    at " + line))
                .collect(Collectors.joining(System.lineSeparator()));
    }
}
