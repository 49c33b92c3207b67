// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test;

import io.safebunny.Bunny;
import io.safebunny.BunnyCircuitBreaker;
import io.safebunny.BunnyOperations;
import io.safebunny.BunnyOperations.Scope;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.MisuseException;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.identity.IdScheme;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.MessageTypes;
import io.safebunny.message.Names;
import io.safebunny.node.Codecs;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.management.SagaCopies;
import io.safebunny.saga.management.SagaSupervision;
import io.safebunny.serialization.json.Serializers;
import io.safebunny.store.Outbox;
import io.safebunny.test.harness.Happening;
import io.safebunny.test.harness.Journal;
import io.safebunny.test.harness.RawPublisher;
import io.safebunny.test.harness.VirtualNode;
import io.safebunny.test.scheduler.StandstillException;
import io.safebunny.test.trace.MessageTrace;
import io.safebunny.test.trace.SetTimeouts;
import io.safebunny.test.trace.Upcoming;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.beans.factory.ListableBeanFactory;

/**
 * Drives an application in a {@link BunnyTest}: publishes to it, lets it work, advances time, and reports what happened. For the test's
 * thread only.
 */
public final class BunnyHarness {

    private final VirtualNode node;
    private final ListableBeanFactory beans;
    private final Map<String, Other> others = new TreeMap<>();
    private boolean stoodStill;

    /** Another node than the application's. */
    private record Other(SafeBunnyEngine engine, Transport transport) {}

    BunnyHarness(VirtualNode node, ListableBeanFactory beans) {
        this.node = node;
        this.beans = beans;
    }

    /**
     * Another node, in whose name the test publishes; it handles nothing. If the name is the application's own, publishes through the
     * application's {@link Bunny}, with its middlewares.
     */
    public BunnyNode as(String name) {
        SafeBunnyOptions options = beans.getBean(SafeBunnyOptions.class);
        boolean isOwn = options.node().equals(name);
        Other other = isOwn ? null : others.computeIfAbsent(name, unknown -> start(unknown, options));
        return new BunnyNode(
                other == null ? beans.getBean(Bunny.class) : other.engine().bunny(),
                new RawPublisher(
                        name,
                        other == null ? beans.getBean(Transport.class) : other.transport(),
                        node.process().timeline()),
                type -> requireTaken(name, type));
    }

    private Other start(String name, SafeBunnyOptions options) {
        SafeBunnyOptions own = SafeBunnyOptions.of(name).withTopology(options.topology());
        Transport transport = node.transport(name, options.topology());
        SafeBunnyEngine engine = new SafeBunnyEngine(
                SafeBunnyParts.builder(own, transport, node.process().timeline())
                        .serializers(beans.getBean(Serializers.class))
                        .codecs(beans.getBean(Codecs.class))
                        .idScheme(beans.getBean(IdScheme.class))
                        .callbacks(node.process().executor())
                        .build());
        engine.start(List.of());
        return new Other(engine, transport);
    }

    private void requireTaken(String from, String type) {
        List<HandlerDefinition> handlers = beans.getBean(SafeBunnyEngine.class).handlers();
        if (handlers.stream()
                .noneMatch(
                        handler -> handler.type().equals(type) && handler.from().contains(from))) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "The application takes no %s from '%s', but %s. Deliver one of these, or add the node to 'from' of a handler."
                            .formatted(
                                    Names.printable(type),
                                    Names.printable(from),
                                    handlers.stream()
                                            .filter(handler -> !MessageTypes.isReserved(handler.type()))
                                            .map(handler -> "%s from %s".formatted(handler.type(), handler.from()))
                                            .sorted()
                                            .toList()));
        }
    }

    /**
     * Stores a saga that began elsewhere, such as in production, so that this test continues it. All its times are moved as if it had last
     * been changed now: a timeout that was due an hour later is due in an hour, and one that was over comes with {@link #runUntilIdle}.
     *
     * @param saga name of the saga: of its class, unless {@code @BunnySaga} names it
     * @param id its id
     * @param json the saga as it is stored; its state is the application's
     * @throws MisuseException SB-5001 if this is no stored saga; SB-5012 if the application has no such saga, or one with this id already
     */
    public void stored(String saga, String id, String json) {
        beans.getBean(SafeBunnyEngine.class).get(SagaCopies.class).store(saga, id, json);
    }

    /**
     * Lets the application work until only future work is left: delayed messages, saga timeouts, the end of pauses. The library's own
     * delays, such as before a retry, elapse at once. Messages of a paused type stay in their queue.
     *
     * @return the future work
     * @throws AssertionError if it does not become idle; the message tells what is still running
     */
    public Upcoming runUntilIdle() {
        run(node::runUntilIdle);
        return upcoming();
    }

    /**
     * Advances time, and runs everything that is due by then, with its consequences.
     *
     * @return the future work
     * @throws AssertionError as {@link #runUntilIdle}
     * @throws MisuseException SB-5001 if the duration is negative
     */
    public Upcoming advance(Duration duration) {
        requireForward(duration);
        run(() -> node.advance(duration));
        return upcoming();
    }

    static void requireForward(Duration duration) {
        if (duration.isNegative()) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Time does not go back [duration=%s]: advance by zero or more.".formatted(duration));
        }
    }

    private void run(Runnable run) {
        try {
            run.run();
        } catch (StandstillException e) {
            stoodStill = true;
            throw new AssertionError(
                    "The application does not become idle.%s%s%n%s"
                            .formatted(inOutbox(), node.journal().describe(), e.getMessage()),
                    e);
        }
    }

    private String inOutbox() {
        int rows = beans.getBeanProvider(Outbox.class).stream()
                .mapToInt(outbox -> outbox.backlog().orElse(0))
                .sum();
        return rows == 0
                ? ""
                : " Messages of the outbox are not sent yet [count=%s]; if sending fails, the log says why, otherwise they may be from an earlier run: delete them."
                        .formatted(rows);
    }

    private Upcoming upcoming() {
        Instant now = now();
        List<Happening> later = node.journal().happenings().stream()
                .filter(happening -> happening.due() != null && happening.due().isAfter(now))
                .toList();
        return new Upcoming(now, node.waited(), new SetTimeouts(this::views).insteadOfAlarms(later, now));
    }

    /** The application's current time. */
    public Instant now() {
        return node.process().timeline().now();
    }

    /** What happened to a saga's messages so far, and its state. */
    public MessageTrace saga(String id) {
        return new MessageTrace(
                "saga " + id,
                node.journal().happenings().stream()
                        .filter(happening -> happening.saga().equals(id))
                        .toList(),
                node.journal().since(),
                node.isIdle(),
                () -> views(id));
    }

    private List<SagaView> views(String id) {
        SafeBunnyEngine engine = beans.getBean(SafeBunnyEngine.class);
        return engine.get(SagaSupervision.class).hasSagas()
                ? engine.get(Sagas.class).find(id)
                : List.of();
    }

    /** What happened to all messages of the test so far. */
    public MessageTrace messages() {
        Journal journal = node.journal();
        return new MessageTrace("this test", journal.happenings(), journal.since(), node.isIdle(), List::of);
    }

    /** Removes everything that the previous test has left. */
    void begin() {
        if (node.hangs()) {
            throw new AssertionError(
                    "A handler that blocked in an earlier test of this application context is still blocked, so nothing else can run. Fix that test first: its failure shows the stack. Or use @DirtiesContext there.");
        }
        run(node::clear);
        stoodStill = false;
        beans.getBeanProvider(MemoryMessageStore.class).ifAvailable(MemoryMessageStore::clear);
        resumeAll();
    }

    private void resumeAll() {
        BunnyOperations operations = beans.getBean(BunnyOperations.class);
        operations.paused().forEach(pause -> operations.resume(pause.type(), Scope.NODE, "the next test", "test kit"));
        BunnyCircuitBreaker breakers = beans.getBean(BunnyCircuitBreaker.class);
        if (!breakers.states().isEmpty()) {
            breakers.close();
        }
    }

    /** @param demanding whether the test fails if work is left */
    void end(boolean demanding) {
        if (demanding && !stoodStill && !node.isIdle()) {
            throw new AssertionError(
                    "The test ends, and the application has work left%s: call runUntilIdle() after publishing, or the test sees nothing of what follows.%n%s"
                            .formatted(node.unsettled(), node.journal().describe()));
        }
    }
}
