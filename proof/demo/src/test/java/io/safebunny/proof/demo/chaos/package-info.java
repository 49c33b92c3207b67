// SPDX-License-Identifier: Apache-2.0
/** Tests of the chaos itself. */
@NullMarked
package io.safebunny.proof.demo.chaos;

import org.jspecify.annotations.NullMarked;
