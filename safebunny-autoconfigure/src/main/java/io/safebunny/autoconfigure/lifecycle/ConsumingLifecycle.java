// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.lifecycle;

import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.rabbit.preflight.TopologyWatch;
import io.safebunny.topology.Topology;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Starts consuming, and stops within the grace period.
 *
 * <p>{@link #PHASE} lies between the start of Boot's web server (2048 before the default phase) and the draining of its requests (1024
 * before it). So when the first message is handled, all beans exist and the port is open; {@code @RabbitListener} containers start
 * afterwards. On shutdown those containers stop first, then running HTTP requests finish, and then SafeBunny finishes its messages, while
 * the web server still serves its handlers and probes.
 */
public final class ConsumingLifecycle implements SmartLifecycle {

    static final int PHASE = DEFAULT_PHASE - 1536;

    private static final Duration LARGEST_MARGIN = Duration.ofSeconds(2);

    private final SafeBunnyEngine engine;
    private final Duration grace;
    private final boolean autoStart;
    private final @Nullable TopologyWatch watch;
    private volatile boolean running;

    /**
     * @param phaseTimeout time after which Spring goes on without waiting for us
     * @param autoStart {@code false} for a topology command
     * @param watch {@code null} if the topology is not watched
     */
    public ConsumingLifecycle(
            SafeBunnyEngine engine, Duration phaseTimeout, boolean autoStart, @Nullable TopologyWatch watch) {
        this.engine = engine;
        this.grace = graceWithin(phaseTimeout);
        this.autoStart = autoStart;
        this.watch = watch;
    }

    /** Reserves a tenth of the timeout, at most 2 s, for handing messages back and disconnecting. */
    static Duration graceWithin(Duration phaseTimeout) {
        Duration tenth = phaseTimeout.dividedBy(10);
        return phaseTimeout.minus(tenth.compareTo(LARGEST_MARGIN) < 0 ? tenth : LARGEST_MARGIN);
    }

    @Override
    public void start() {
        engine.startConsuming();
        running = true;
        Topology topology = engine.topology();
        if (watch != null && topology != null) {
            watch.start(topology, engine.handlers());
        }
    }

    @Override
    public boolean isAutoStartup() {
        return autoStart;
    }

    @Override
    public void stop() {
        running = false;
        if (watch != null) {
            watch.stop();
        }
        engine.stopConsuming(grace);
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Not pauseable, like {@link EngineLifecycle}. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
