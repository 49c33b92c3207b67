// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler;

import io.safebunny.recovery.RetrySettings;
import io.safebunny.recovery.RetryStrategy;

/** What handlers get that say nothing themselves: the {@code safebunny.*} properties. */
public record HandlerDefaults(int prefetch, RetrySettings retry, RetryStrategy delayedRetry) {}
