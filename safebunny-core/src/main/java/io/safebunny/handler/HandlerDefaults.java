// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler;

import io.safebunny.recovery.RetrySettings;
import io.safebunny.recovery.RetryStrategy;

/** Settings of handlers that do not set their own, from the {@code safebunny.*} properties. */
public record HandlerDefaults(int prefetch, RetrySettings retry, RetryStrategy delayedRetry) {}
