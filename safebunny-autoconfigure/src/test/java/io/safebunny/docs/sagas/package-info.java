// SPDX-License-Identifier: Apache-2.0
/** The sagas of the guide, as they stand there, and the test that runs them. */
@NullMarked
package io.safebunny.docs.sagas;

import org.jspecify.annotations.NullMarked;
