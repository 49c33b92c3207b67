// SPDX-License-Identifier: Apache-2.0
/** Contract suites for implementations of SPIs: extend one, provide a fixture, run it. */
@NullMarked
package io.safebunny.test.contract;

import org.jspecify.annotations.NullMarked;
