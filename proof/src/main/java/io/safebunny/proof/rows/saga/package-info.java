// SPDX-License-Identifier: Apache-2.0
/** The rows of {@code bin/saga-proof}, and their sagas. */
@NullMarked
package io.safebunny.proof.rows.saga;

import org.jspecify.annotations.NullMarked;
