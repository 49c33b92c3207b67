// SPDX-License-Identifier: Apache-2.0
/** The stores under test, and the table that handlers write to. */
@NullMarked
package io.safebunny.proof.store;

import org.jspecify.annotations.NullMarked;
