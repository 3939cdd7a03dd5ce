package kubetest

func (s *Simulation) Has(app string) int32 {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.Replicas[app]
}

func (s *Simulation) SomebodyScales(app string, to int32) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.ScaleTo(app, to, false)
}
