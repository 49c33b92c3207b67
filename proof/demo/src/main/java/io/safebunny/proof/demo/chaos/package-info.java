// SPDX-License-Identifier: Apache-2.0
/** Makes things go wrong on purpose, from outside: the nodes know nothing about it. */
@NullMarked
package io.safebunny.proof.demo.chaos;

import org.jspecify.annotations.NullMarked;
