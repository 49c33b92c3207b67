// SPDX-License-Identifier: Apache-2.0
/** Runs the nodes, together or one alone, and counts the results. */
@NullMarked
package io.safebunny.proof.demo;

import org.jspecify.annotations.NullMarked;
