// SPDX-License-Identifier: Apache-2.0
/**
 * What really happened in the outside world: one append-only table without unique constraints, so that double effects show. It is
 * in the application's own database, or kept by a remote service.
 */
@NullMarked
package io.safebunny.samples.orders.ledger;

import org.jspecify.annotations.NullMarked;
