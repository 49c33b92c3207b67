// SPDX-License-Identifier: Apache-2.0
/** Tests of the demo, and with it of the whole saga. */
@NullMarked
package io.safebunny.proof.demo;

import org.jspecify.annotations.NullMarked;
