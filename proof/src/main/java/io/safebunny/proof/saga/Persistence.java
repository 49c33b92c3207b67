// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.saga;

import io.safebunny.store.MessageStore;
import io.safebunny.store.Outbox;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Where a node keeps its records and outbox.
 *
 * @param outbox {@code null} if it has nothing to do with the application's transactions
 * @param lease lease of its claims; short, because the claims of a halted process last that long
 */
public record Persistence(MessageStore store, @Nullable Outbox outbox, Duration lease) {}
