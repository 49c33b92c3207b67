// SPDX-License-Identifier: Apache-2.0
package io.safebunny.node;

import java.time.Instant;

/**
 * The store does not answer.
 *
 * @param since the first call that failed after one that did not
 * @param reason of the last one
 */
public record StoreOutage(Instant since, String reason) {}
