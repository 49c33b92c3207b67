// SPDX-License-Identifier: Apache-2.0
/**
 * What really happened to the outside world: one append-only table without unique constraints, so that a double effect
 * shows. It is in the application's own database, or somebody else keeps it.
 */
@NullMarked
package io.safebunny.samples.orders.ledger;

import org.jspecify.annotations.NullMarked;
