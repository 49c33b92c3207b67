// SPDX-License-Identifier: Apache-2.0
/** Behind {@code bin/simulate}: the sample's handlers in simulations, and bugs that these must find. */
@NullMarked
package io.safebunny.proof.simulation;

import org.jspecify.annotations.NullMarked;
