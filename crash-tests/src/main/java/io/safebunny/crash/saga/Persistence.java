// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crash.saga;

import io.safebunny.spi.outbox.Outbox;
import io.safebunny.spi.store.MessageStore;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a node remembers with.
 *
 * @param outbox {@code null}: it knows no transactions of the application
 * @param lease of its claims; short, for a process that was halted holds them so long
 */
public record Persistence(MessageStore store, @Nullable Outbox outbox, Duration lease) {}
