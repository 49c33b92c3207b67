// SPDX-License-Identifier: Apache-2.0
/** The stories that are simulated, each a system with what must hold in it. */
@NullMarked
package io.safebunny.proof.simulation.story;

import org.jspecify.annotations.NullMarked;
