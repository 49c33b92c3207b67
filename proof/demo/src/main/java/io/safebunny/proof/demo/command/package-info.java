// SPDX-License-Identifier: Apache-2.0
/** What the demo is told to do: its command line and options. */
@NullMarked
package io.safebunny.proof.demo.command;

import org.jspecify.annotations.NullMarked;
