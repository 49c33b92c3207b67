// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.work;

import com.rabbitmq.client.Connection;
import io.safebunny.observation.BoundedLog;
import io.safebunny.rabbit.connection.ConnectionKeeper;
import io.safebunny.time.Timeline;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the parts of a consumer share. Thread-safe.
 *
 * @param connection the current one, {@code null} while disconnected; after each reconnect, consumers are adjusted
 * @param repair declares a queue again if it is missing
 * @param workers runs handlers; must queue or reject tasks, never run them on the caller's thread or block it
 */
public record ConsumerContext(
        Supplier<@Nullable Connection> connection,
        ConnectionKeeper.Preparation repair,
        Executor workers,
        Timeline timeline,
        BoundedLog log) {}
