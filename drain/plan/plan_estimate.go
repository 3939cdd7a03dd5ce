package plan

func (e *Estimate) Count(wave int) {
	for len(e.Waves) < wave {
		e.Waves = append(e.Waves, 0)
	}
	e.Waves[wave-1]++
}
