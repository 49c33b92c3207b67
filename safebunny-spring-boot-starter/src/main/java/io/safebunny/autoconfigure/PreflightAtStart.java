// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.topology.Topology;
import io.safebunny.transport.rabbit.Preflight;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/** Looks at the node's queues once it has started, beside it: whatever is found or fails is logged, and keeps nothing from running. */
final class PreflightAtStart implements SmartLifecycle {

    private static final Logger LOG = LoggerFactory.getLogger(PreflightAtStart.class);

    private final Preflight preflight;
    private final SafeBunnyEngine engine;
    private final Executor executor;
    private volatile boolean running;

    PreflightAtStart(Preflight preflight, SafeBunnyEngine engine, Executor executor) {
        this.preflight = preflight;
        this.engine = engine;
        this.executor = executor;
    }

    @Override
    public void start() {
        running = true;
        Topology topology = engine.topology();
        if (topology != null) {
            executor.execute(() -> look(topology));
        }
    }

    private void look(Topology topology) {
        try {
            preflight.findings(topology).forEach(finding -> LOG.warn("{}", finding));
        } catch (InterruptedException e) { // the node stops
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** After the node. */
    @Override
    public int getPhase() {
        return EngineLifecycle.PHASE + 1;
    }
}
