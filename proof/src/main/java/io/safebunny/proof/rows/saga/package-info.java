// SPDX-License-Identifier: Apache-2.0
/** The sagas of the rows. */
@NullMarked
package io.safebunny.proof.rows.saga;

import org.jspecify.annotations.NullMarked;
