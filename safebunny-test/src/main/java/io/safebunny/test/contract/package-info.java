// SPDX-License-Identifier: Apache-2.0
/** The suites that every implementation of an SPI passes: extend one, give it a fixture, run it. */
@NullMarked
package io.safebunny.test.contract;

import org.jspecify.annotations.NullMarked;
