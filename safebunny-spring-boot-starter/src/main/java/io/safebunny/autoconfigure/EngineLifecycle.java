// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.handler.HandlerDefinition;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.context.SmartLifecycle;

/**
 * Starts the engine with the application context and stops it within the grace.
 *
 * <p>{@link #PHASE} lies between the start of Boot's web server (2048 before the default phase) and the draining of its
 * requests (1024 before it). Starting goes up the phases: all beans exist and the port is open when the first message
 * is handled, and {@code @RabbitListener} containers and the like, which publish, begin after. Stopping goes down: they
 * stop, HTTP requests in work finish and can still publish, then SafeBunny finishes its own messages, while task
 * executors, the web server and everything that is merely destroyed (data sources) are still there for the handlers.
 */
final class EngineLifecycle implements SmartLifecycle {

    static final int PHASE = DEFAULT_PHASE - 1536;

    private static final Duration LARGEST_MARGIN = Duration.ofSeconds(2);

    private final SafeBunnyEngine engine;
    private final Supplier<List<HandlerDefinition>> handlers;
    private final Duration grace;
    private volatile boolean running;

    /** @param phaseTimeout after which Spring goes on without us */
    EngineLifecycle(SafeBunnyEngine engine, Supplier<List<HandlerDefinition>> handlers, Duration phaseTimeout) {
        this.engine = engine;
        this.handlers = handlers;
        this.grace = graceWithin(phaseTimeout);
    }

    /** A tenth, at most 2 s, remains for handing back and disconnecting. */
    static Duration graceWithin(Duration phaseTimeout) {
        Duration tenth = phaseTimeout.dividedBy(10);
        return phaseTimeout.minus(tenth.compareTo(LARGEST_MARGIN) < 0 ? tenth : LARGEST_MARGIN);
    }

    @Override
    public void start() {
        engine.start(handlers.get());
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        engine.stop(grace);
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** No: stopping ends the connections, and a stopped engine does not start again. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
