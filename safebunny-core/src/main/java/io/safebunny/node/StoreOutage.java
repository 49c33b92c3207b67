// SPDX-License-Identifier: Apache-2.0
package io.safebunny.node;

import java.time.Instant;

/**
 * The store does not answer.
 *
 * @param since first failed call after the last success
 * @param reason why the last call failed
 */
public record StoreOutage(Instant since, String reason) {}
