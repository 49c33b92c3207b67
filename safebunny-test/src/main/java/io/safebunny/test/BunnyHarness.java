// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test;

import io.safebunny.Bunny;
import io.safebunny.BunnyCircuitBreaker;
import io.safebunny.BunnyOperations;
import io.safebunny.BunnyOperations.Scope;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.MisuseException;
import io.safebunny.identity.IdScheme;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.node.Codecs;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.management.SagaSupervision;
import io.safebunny.serialization.json.Serializers;
import io.safebunny.store.Outbox;
import io.safebunny.test.harness.Happening;
import io.safebunny.test.harness.Journal;
import io.safebunny.test.harness.VirtualNode;
import io.safebunny.test.scheduler.StandstillException;
import io.safebunny.test.trace.MessageTrace;
import io.safebunny.test.trace.SetTimeouts;
import io.safebunny.test.trace.Upcoming;
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
    private final Map<String, SafeBunnyEngine> others = new TreeMap<>();
    private boolean stoodStill;

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
        return new BunnyNode(
                options.node().equals(name)
                        ? beans.getBean(Bunny.class)
                        : others.computeIfAbsent(name, other -> start(other, options))
                                .bunny());
    }

    private SafeBunnyEngine start(String name, SafeBunnyOptions options) {
        SafeBunnyOptions own = SafeBunnyOptions.of(name).withTopology(options.topology());
        SafeBunnyEngine engine = new SafeBunnyEngine(SafeBunnyParts.builder(
                        own,
                        node.transport(name, options.topology()),
                        node.process().timeline())
                .serializers(beans.getBean(Serializers.class))
                .codecs(beans.getBean(Codecs.class))
                .idScheme(beans.getBean(IdScheme.class))
                .callbacks(node.process().executor())
                .build());
        engine.start(List.of());
        return engine;
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
