// SPDX-License-Identifier: Apache-2.0
/** The broker of the demo, and what passes through it. */
@NullMarked
package io.safebunny.proof.demo.traffic;

import org.jspecify.annotations.NullMarked;
